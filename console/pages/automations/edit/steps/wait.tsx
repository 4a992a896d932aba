import { Amount, UNITS } from '../fields/amount.tsx';
import { errorsIn } from '../fields/errors.ts';
import type { Kind, StepFormProps } from './step-form.ts';

export const wait: Kind = {
  label: 'Wait',
  hint: 'Some minutes, hours or days',
  icon: 'clock',
  make: () => ({ type: 'wait', delay: { value: 1, unit: 'days' } }),
  Form: WaitForm,
};

function WaitForm({ step, errors, why, onChange }: StepFormProps) {
  const { delay = { value: 0, unit: 'minutes' } } = step;
  return (
    <>
      <Amount
        amount={delay}
        units={UNITS}
        label="Wait"
        errors={errorsIn(errors, 'delay')}
        why={why}
        onChange={(next, field) => onChange({ ...step, delay: next }, `${step.stepId} ${field}`)}
      />
      <p class="dim small">With 0 the next step comes at once.</p>
    </>
  );
}
