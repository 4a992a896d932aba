import { useSignal } from '@preact/signals';
import { Icon } from '../icon.tsx';
import { toast } from '../over/toast.tsx';

const SHOWN_MS = 2_000;

/** Copies a text; `what` names it: 'the address'. */
export function Copy({ text, what }: { text: string; what: string }) {
  const done = useSignal(false);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      done.value = true;
      setTimeout(() => {
        done.value = false;
      }, SHOWN_MS);
    } catch {
      toast('The browser did not allow copying: select the text and copy it by hand.', { kind: 'bad' });
    }
  }
  return (
    <button class="copy" type="button" aria-label={done.value ? `Copied ${what}` : `Copy ${what}`} onClick={copy}>
      <span class={done.value ? 't-good' : ''}>
        <Icon name={done.value ? 'check' : 'copy'} />
      </span>
    </button>
  );
}
