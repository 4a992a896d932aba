import { moment } from '../data/format.ts';
import { Notice } from '../page/notice.tsx';
import { Button } from './button.tsx';
import type { useKeptDraft } from './leaving.ts';

/** Says that the page shows what was typed earlier, and lets a person return to what is saved. */
export function RestoredDraft({ draft: { restored, drop } }: { draft: ReturnType<typeof useKeptDraft> }) {
  if (!restored.value) return null;
  const { at, isOlder } = restored.value;
  return (
    <Notice
      kind={isOlder ? 'warn' : 'plain'}
      title={`What you typed ${moment(at)} was not saved, and is here again`}
      action={
        <Button isSmall onClick={drop}>
          Show what is saved
        </Button>
      }
    >
      {isOlder && 'It was saved with other changes since: saving now replaces them.'}
    </Notice>
  );
}
