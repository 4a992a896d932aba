import { moment } from '../data/format.ts';
import { Notice } from '../page/notice.tsx';
import { Button } from './button.tsx';
import type { useKeptDraft } from './leaving.ts';

/** Says that the page shows what was typed earlier, and lets a person return to what is saved. Where that is another version, `BothTexts` does. */
export function RestoredDraft({ draft: { restored, drop } }: { draft: ReturnType<typeof useKeptDraft> }) {
  if (!restored.value || restored.value.isOlder) return null;
  return (
    <Notice
      title={`What you typed ${moment(restored.value.at)} was not saved, and is here again`}
      action={
        <Button isSmall onClick={drop}>
          Show what is saved
        </Button>
      }
    />
  );
}
