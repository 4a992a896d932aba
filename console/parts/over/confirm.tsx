import { type Signal, signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../forms/button.tsx';
import { sentenceOf } from '../forms/form.ts';
import { Notice } from '../page/notice.tsx';
import { Dialog } from './dialog.tsx';

export interface Confirmation {
  /** A question without a question mark: 'Abort November letter'. */
  title: string;
  /** The consequence, with the number of people: '96,499 people do not get this mail.' */
  text: ComponentChildren;
  /** On the button, with the number: 'Abort for 96,499 people'. */
  action: string;
  isDangerous?: boolean;
  /** The call. Its refusal is shown in the dialog, which stays open. */
  run: () => unknown;
}

interface Open extends Confirmation {
  /** Its call has no answer yet: until then it stays, and nothing takes its place. */
  isBusy: Signal<boolean>;
  answer: (done: boolean) => void;
}

const open = signal<Open | null>(null);

/** Asks once, then does it. Resolves with whether it was done. */
export function confirm(confirmation: Confirmation): Promise<boolean> {
  if (open.peek()?.isBusy.peek()) return Promise.resolve(false);
  open.peek()?.answer(false);
  return new Promise((resolve) => {
    open.value = {
      ...confirmation,
      isBusy: signal(false),
      answer(done) {
        open.value = null;
        resolve(done);
      },
    };
  });
}

/** Once, in the frame. */
export function Confirmations() {
  return open.value && <Confirm key={open.value.title} {...open.value} />;
}

function Confirm({ title, text, action, isDangerous, run, isBusy, answer }: Open) {
  const failure = useSignal<string | null>(null);
  const close = () => {
    if (!isBusy.peek()) answer(false);
  };
  async function submit(): Promise<void> {
    if (isBusy.peek()) return;
    isBusy.value = true;
    failure.value = null;
    try {
      await run();
      answer(true);
    } catch (error) {
      failure.value = sentenceOf(error);
    } finally {
      isBusy.value = false;
    }
  }
  return (
    <Dialog
      title={title}
      onClose={close}
      onSubmit={submit}
      footer={
        <>
          <Button why={isBusy.value && 'Wait for the answer.'} onClick={close}>
            Not now
          </Button>
          <Button kind={isDangerous ? 'danger' : 'first'} type="submit" isBusy={isBusy.value}>
            {action}
          </Button>
        </>
      }
    >
      <div class="sub">{text}</div>
      {failure.value && <Notice kind="bad" title={failure.value} />}
    </Dialog>
  );
}
