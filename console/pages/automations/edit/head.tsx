import type { Automation } from '../../../../client/index.ts';
import { type PageAct, usePageActs } from '../../../acts.ts';
import { counted, moment } from '../../../parts/data/format.ts';
import { Button } from '../../../parts/forms/button.tsx';
import { Notice } from '../../../parts/page/notice.tsx';
import { to } from '../../../router.ts';
import { can } from '../../../session.ts';
import { AutomationState } from '../graph/state.tsx';
import { isSavedAsDraft } from './draft.ts';

/** The head of the editor: the state of the automation, of what is saved, and the ways to bring it to people. */

interface Saved {
  automation: Automation;
  isSaving: boolean;
  isChanged: boolean;
  /** Another version has to be chosen or kept first. */
  isHeld: boolean;
  faults: number;
}

/** null: it can be edited. */
export function whyNotEdited({ status }: Automation): string | null {
  if (!can('automations.update')) return 'Your role reads automations.';
  return status === 'archived' ? 'It is archived.' : null;
}

export function savedWords({ automation, isSaving, isChanged, isHeld, faults }: Saved): string {
  if (faults > 0 && isChanged) return `Not saved: ${counted(faults, 'thing')} to mend`;
  if (isHeld && isChanged) return 'Not saved: kept in this browser';
  if (isSaving || isChanged) return 'Saving';
  return `Saved ${moment(automation.draft?.updatedAt ?? automation.updatedAt)}`;
}

export function HeadState({ automation, isChanged }: { automation: Automation; isChanged: boolean }) {
  const { status, draft, version = 1 } = automation;
  const isDraft = isSavedAsDraft(automation) && (draft !== null || isChanged) && status !== 'archived';
  return (
    <>
      <AutomationState status={status} isHead />
      {isDraft && <span class="dim small">draft of version {version + 1}</span>}
    </>
  );
}

export function HeadActions({
  automation,
  isChanged,
  onActivate,
  onPublish,
}: {
  automation: Automation;
  isChanged: boolean;
  onActivate: () => unknown;
  onPublish: () => unknown;
}) {
  const { id, status, draft } = automation;
  const hasNothing = draft === null && !isChanged && 'Nothing is changed.';
  const whyNot = (draft?.isOutdated && 'Keep the draft first, or discard it.') || hasNothing;
  const isFirst = !isSavedAsDraft(automation);
  const isPublished = !isFirst && status !== 'archived';
  const whole: PageAct = { label: 'Activate…', icon: 'play', operation: 'automations.activate', run: onActivate };
  const next: PageAct = { label: 'Publish…', icon: 'check', operation: 'automations.publish', run: onPublish };
  usePageActs([...(isFirst ? [whole] : []), ...(isPublished && !whyNot ? [next] : [])]);
  return (
    <>
      <Button href={to(`/automations/${id}`)}>Overview</Button>
      {isFirst && (
        <Button kind="first" icon="play" operation="automations.activate" onClick={onActivate}>
          Activate…
        </Button>
      )}
      {isPublished && (
        <Button kind="first" operation="automations.publish" why={whyNot} onClick={onPublish}>
          Publish…
        </Button>
      )}
    </>
  );
}

/** A change of the automation itself came after the draft was begun. */
export function Outdated({ automation, onKeep }: { automation: Automation; onKeep: () => unknown }) {
  if (automation.draft?.isOutdated !== true) return null;
  return (
    <Notice
      kind="warn"
      title="The automation was changed after this draft was begun"
      action={
        <div class="row wrap">
          <Button isSmall href={to(`/automations/${automation.id}`)}>
            Compare
          </Button>
          <Button isSmall operation="automations.update" onClick={onKeep}>
            Keep this draft
          </Button>
        </div>
      }
    >
      Publishing the draft takes that change back. Nothing is saved until you decide.
    </Notice>
  );
}
