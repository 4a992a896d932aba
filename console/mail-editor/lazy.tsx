import type { Signal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { loadScript } from '../api.ts';
import type { Frame } from '../parts/mail/use-preview.ts';
import { Loaded } from '../parts/page/loaded.tsx';
import { useQuery } from '../parts/page/query.ts';
import type { CompiledMail, Draft } from './use-mail.ts';

export interface MailEditorHandle {
  /** Takes another draft, as one step of undo. */
  replace(draft: Draft): void;
  /** Chooses the block. */
  show(blockId: string): void;
}

/** A text of the mail that is written above it: its subject. */
export interface TextField {
  name: string;
  label: string;
  hint?: string;
}

export interface MailEditorProps {
  /** Grows with each change. */
  draft: Signal<Draft>;
  handle: RefObject<MailEditorHandle | null>;
  texts: readonly TextField[];
  isMarketing: boolean;
  /** The address of the person with whose data the mail is shown. */
  person: Signal<string>;
  /** The cursor is in the mail once it is there, unless the person is elsewhere by then. */
  isMailFirst?: boolean;
  /** Escape in the mail, once no block is left around what is chosen. */
  onLeave?: () => void;
  /** Why it cannot be edited. */
  why: string | null;
  /** The layout around the mail, or the part of mails that it is. */
  frame?: Frame;
  before?: ComponentChildren;
  /** Below the mail, as the server compiles it. */
  after?: (compiled: CompiledMail) => ComponentChildren;
}

/** The editor is a script of its own, which is loaded by the first mail that is opened. */
export function MailEditor(props: MailEditorProps) {
  const editor = useQuery(async () => ({ Editor: (await loadScript(() => import('./mail-editor.tsx'))).default }));
  const found = editor.data.value;
  if (found) return <found.Editor {...props} />;
  return (
    <div class="body">
      <Loaded query={editor}>{() => null}</Loaded>
    </div>
  );
}
