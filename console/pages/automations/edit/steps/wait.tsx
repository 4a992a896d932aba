import { Field, Select } from '../../../../parts/forms/field.tsx';
import type { Step } from '../model/steps.ts';
import { type Kind, type StepFormProps, useStepForm } from './step-form.ts';

type Unit = NonNullable<Step['delay']>['unit'];

export const wait: Kind = {
  label: 'Wait',
  hint: 'Some minutes, hours or days',
  icon: 'clock',
  make: () => ({ type: 'wait', delay: { value: 1, unit: 'days' } }),
  Form: WaitForm,
};

function WaitForm(props: StepFormProps) {
  const { why } = props;
  const form = useStepForm(props, read, write);
  return (
    <>
      <div class="two">
        <Field form={form} name="delay/value" label="Wait" type="number" min="0" why={why} />
        <Select
          form={form}
          name="delay/unit"
          label="Unit"
          why={why}
          options={[
            { value: 'minutes', label: 'minutes' },
            { value: 'hours', label: 'hours' },
            { value: 'days', label: 'days' },
          ]}
        />
      </div>
      <p class="dim small">With 0 the next step comes at once.</p>
    </>
  );
}

function read({ delay }: Step) {
  const { value = 0, unit = 'minutes' } = delay ?? {};
  return { 'delay/value': String(value), 'delay/unit': unit === 'mins' ? 'minutes' : (unit as string) };
}

function write(step: Step, values: ReturnType<typeof read>): Step {
  return { ...step, delay: { value: numberIn(values['delay/value']), unit: values['delay/unit'] as Unit } };
}

/** A text that is no number is sent as it is: the refusal says why. */
export function numberIn(text: string): number {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : (text as unknown as number);
}
