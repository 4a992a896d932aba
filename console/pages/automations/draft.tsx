import { useSignal } from '@preact/signals';
import type { Automation } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { moment, people } from '../../parts/data/format.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Options } from '../../parts/forms/choices.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { confirm } from '../../parts/over/confirm.tsx';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { Notice } from '../../parts/page/notice.tsx';
import { to } from '../../router.ts';
import { isRefusal } from './changes.ts';
import { compareDefinitions, differenceWords } from './graph/compare.ts';
import { Versions } from './graph/versions.tsx';
import { useAutomationNames } from './names.ts';

interface Props {
  /** The version that runs. */
  automation: Automation;
  /** The same with the content of its draft, and the numbers of people. */
  draft: Automation;
  onDone: () => unknown;
}

/** Says that there is a draft, how it differs from what runs, and lets those who may publish or discard it. */
export function DraftNotice({ automation, draft, onDone }: Props) {
  const toPublish = useSignal<Automation | null>(null);
  const { id, name, draftRevision } = automation;
  const mark = draft.draft;
  if (!mark) return null;
  async function discard(): Promise<void> {
    const isDone = await confirm({
      title: `Discard the draft of ${name}`,
      text: 'What was saved in it is lost. What runs stays as it is.',
      action: 'Discard it',
      isDangerous: true,
      run: () => api.automations.discardDraft(id, { draftRevision }),
    });
    if (!isDone) return;
    toast(`The draft of ${name} is discarded`, { kind: 'good' });
    await onDone();
  }
  const why = mark.isOutdated && 'The automation was changed after this draft was begun: save the draft again first.';
  return (
    <>
      <Notice
        title={`A draft of the next version was saved ${moment(mark.updatedAt)}`}
        action={
          <div class="row wrap">
            <Button href={to(`/automations/${id}/edit`)}>Edit</Button>
            <Button kind="danger" operation="automations.discardDraft" onClick={discard}>
              Discard…
            </Button>
            <Button
              operation="automations.publish"
              why={why}
              onClick={async () => {
                // With the people of this moment.
                const newest = await api.automations.get(id, { version: 'draft' });
                if (newest.draftRevision === draft.draftRevision) toPublish.value = newest;
                else await onDone();
              }}
            >
              Publish…
            </Button>
          </div>
        }
      >
        Against version {automation.version}: {differenceWords(compareDefinitions(automation, draft))}.
        {why && ` ${why}`}
      </Notice>
      {toPublish.value && (
        <PublishDialog
          {...{ automation, draft: toPublish.value, onDone }}
          onClose={() => {
            toPublish.value = null;
          }}
        />
      )}
    </>
  );
}

export function PublishDialog({
  automation,
  draft,
  onDone,
  onRefused,
  onClose,
}: Props & {
  onClose: () => void;
  /** Shows what is missing; otherwise the dialog says it. */
  onRefused?: (error: unknown) => void;
}) {
  const { id, name, version = 1, status } = automation;
  const { draftRevision } = draft;
  const names = useAutomationNames([automation, draft]);
  const { inside = 0, leaving = [] } = draft.draft ?? {};
  const leave = leaving.reduce((sum, step) => sum + step.inside, 0);
  const form = useForm<{ existing: string }>({ existing: 'keep' });
  const publish = form.submit(async ({ existing }) => {
    const body = { existing: existing === 'move' ? ('move' as const) : ('keep' as const), draftRevision };
    const { data: published, error } = await api.safe.automations.publish(id, body);
    if (error && onRefused && isRefusal(error)) {
      onRefused(error);
      onClose();
      return;
    }
    if (error && error.status !== 409) throw error;
    if (error) toast(`${name} was saved meanwhile: look at it again before you publish it`, { kind: 'bad' });
    else toast(`Published version ${published.version} of ${name}`, { kind: 'good' });
    onClose();
    await onDone();
  });
  const moving = [
    `${people(inside - leave)} go on in version ${version + 1}.`,
    leave > 0 && `${people(leave)} leave, since their step is gone.`,
    status === 'paused' && 'They move when the automation is resumed.',
  ];
  return (
    <FormDialog
      title={`Publish the draft of ${name}`}
      form={form}
      action={`Publish version ${version + 1}`}
      operation="automations.publish"
      isWide
      onClose={onClose}
      onSubmit={publish}
    >
      <Versions running={automation} draft={draft} names={names} />
      <p class="sub">People who enter from now on get this version.</p>
      <Options
        form={form}
        name="existing"
        label={`${people(inside)} on the way`}
        options={[
          { value: 'keep', label: 'Keep their version', hint: `${people(inside)} go on in the version they have.` },
          { value: 'move', label: 'Move to the new one', hint: moving.filter(Boolean).join(' ') },
        ]}
      />
    </FormDialog>
  );
}
