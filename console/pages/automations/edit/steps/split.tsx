import { Button } from '../../../../parts/forms/button.tsx';
import { Field } from '../../../../parts/forms/field.tsx';
import { numberIn } from '../fields/values.ts';
import { addWay, removeWay } from '../model/forks.ts';
import type { Step } from '../model/steps.ts';
import { newId } from '../new-id.ts';
import { type Kind, type StepFormProps, useStepForm } from './step-form.ts';
import { JoinChoice, RemoveWay } from './ways.tsx';

type Share = NonNullable<Step['shares']>[number];

export const split: Kind = {
  label: 'Split',
  hint: 'Each person takes one of several ways, by chance',
  icon: 'automation',
  make: () => ({ type: 'split', shares: ['A', 'B'].map((label) => newShare(label, 50)) }),
  Form: SplitForm,
};

function newShare(label: string, share: number): Share {
  return { branchId: newId('way'), label, share, nextStepId: null };
}

function SplitForm(props: StepFormProps) {
  const { step, steps, errors, why, onAct } = props;
  const shares = step.shares ?? [];
  const sum = shares.reduce((total, { share }) => total + (Number(share) || 0), 0);
  return (
    <>
      {shares.map((share, index) => (
        <Way key={`${share.branchId} ${shares.length}`} {...{ props, share, index }} isFew={shares.length < 3} />
      ))}
      <p class={errors.shares ? 'hint t-bad' : 'hint'}>
        {errors.shares ?? (sum === 100 ? 'Of a hundred people.' : `They must add up to 100, and add up to ${sum}.`)}
      </p>
      {why === null && (
        <Button isSmall icon="plus" onClick={() => onAct(addWay(steps, step.stepId, {}, newId))}>
          Way
        </Button>
      )}
      <JoinChoice props={props} branchId={shares[0]?.branchId ?? ''} label="Afterwards all people go to" />
    </>
  );
}

function Way({
  props: { step, steps, errors, why, onChange, onAct },
  share: { branchId, label, share },
  index,
  isFew,
}: {
  props: StepFormProps;
  share: Share;
  index: number;
  isFew: boolean;
}) {
  const error = errors[`shares/${index}/share`];
  const form = useStepForm(
    {
      step,
      errors: error ? { share: error } : NONE,
      onChange: (next, field) => onChange(next, `${field} ${branchId}`),
    },
    () => ({ label, share: String(share) }),
    (now, values) => ({
      ...now,
      shares: (now.shares ?? []).map((one) =>
        one.branchId === branchId ? { ...one, label: values.label, share: numberIn(values.share) } : one,
      ),
    }),
  );
  return (
    <div class="row way-head">
      <div class="grow">
        <Field form={form} name="label" label={`Way ${index + 1}`} why={why} />
      </div>
      <div class="share">
        <Field form={form} name="share" label="Of 100" type="number" min="1" max="99" why={why} />
      </div>
      {!isFew && (
        <RemoveWay
          label={`Remove way ${index + 1}`}
          why={why}
          onClick={() => onAct(removeWay(steps, step.stepId, branchId, newId))}
        />
      )}
    </div>
  );
}

const NONE = {};
