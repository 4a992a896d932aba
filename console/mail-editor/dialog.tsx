import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/forms/button.tsx';
import { byEscape, useModal } from '../parts/over/dialog.tsx';
import { Toasts } from '../parts/over/toast.tsx';
import { Notice } from '../parts/page/notice.tsx';
import { MailEditor, type MailEditorHandle, type MailEditorProps } from './lazy.tsx';
import type { Draft } from './use-mail.ts';

/** Typing rests that long before the page gets it. */
const REST_MS = 300;

interface Props extends Pick<MailEditorProps, 'texts' | 'person' | 'isMarketing' | 'isMailFirst' | 'frame'> {
  title: string;
  begun: Draft;
  /** Why it is not saved. */
  notice?: string | null;
  /** Gets all that is written, also by leaving with Escape: the page takes it back in one step. */
  onWrite: (draft: Draft) => void;
  onClose: () => void;
  /** Below the mail. `put` shows another one in the editor. */
  after?: (put: (draft: Draft) => void) => ComponentChildren;
}

/** The editor of mails over a page on which the mail is one thing among others. */
export function MailDialog({ title, begun, notice = null, onWrite, onClose, after, ...editing }: Props) {
  const ref = useModal();
  const titleId = useId();
  const editor = useRef<MailEditorHandle | null>(null);
  const draft = useSignal(begun);
  const latest = useRef(onWrite);
  latest.current = onWrite;
  const given = useRef(begun);
  function give(): void {
    if (given.current === draft.peek()) return;
    given.current = draft.peek();
    latest.current(given.current);
  }
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = draft.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(give, REST_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [draft]);
  const close = () => {
    give();
    onClose();
  };
  return (
    <dialog
      ref={ref}
      class="dialog mail-dialog"
      aria-labelledby={titleId}
      // The keys of the page below are not meant.
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={byEscape(close)}
    >
      <header class="row">
        <h2 id={titleId} class="grow cut">
          {title}
        </h2>
        <Button kind="first" onClick={close}>
          Done
        </Button>
      </header>
      <div class="mail-scroll">
        <MailEditor
          {...editing}
          draft={draft}
          onLeave={close}
          handle={editor}
          why={null}
          after={() => after?.((next) => editor.current?.replace(next))}
          before={notice !== null && <Notice kind="bad" title={notice} />}
        />
      </div>
      <Toasts modal={ref} />
    </dialog>
  );
}
