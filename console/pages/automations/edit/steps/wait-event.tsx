import { Select } from '../../../../parts/forms/field.tsx';
import { Amount, UNITS } from '../fields/amount.tsx';
import { errorsIn } from '../fields/errors.ts';
import { EventField } from '../fields/event.tsx';
import type { Step } from '../model/steps.ts';
import { type Kind, type StepFormProps, useStepForm } from './step-form.ts';

const TIMEOUT = { value: 3, unit: 'days' } as const;

export const waitEvent: Kind = {
  label: 'Wait for an event',
  hint: 'Another way when it does not come in time',
  icon: 'now',
  make: () => ({ type: 'wait_event', waitEvent: { timeout: TIMEOUT } }),
  Form: WaitEventForm,
};

function WaitEventForm(props: StepFormProps) {
  const { step, errors, why, onChange } = props;
  const form = useStepForm(props, read, write);
  return (
    <>
      <EventField form={form} name="waitEvent/eventName" why={why} />
      <Amount
        amount={step.waitEvent?.timeout ?? TIMEOUT}
        units={UNITS}
        label="At most"
        errors={errorsIn(errors, 'waitEvent/timeout')}
        why={why}
        onChange={(timeout, field) =>
          onChange({ ...step, waitEvent: { ...step.waitEvent, timeout } }, `${step.stepId} timeout ${field}`)
        }
      />
      <Select
        form={form}
        name="waitEvent/since"
        label="Counted are events"
        why={why}
        options={[
          { value: 'step', label: 'while the person waits here' },
          { value: 'entry', label: 'since the person entered' },
        ]}
      />
      {step.waitEvent?.filterCriteria && <p class="dim small">It has conditions, which the interface alone changes.</p>}
    </>
  );
}

function read({ waitEvent: { eventName = '', since = 'step' } = {} }: Step) {
  return { 'waitEvent/eventName': eventName, 'waitEvent/since': since as string };
}

function write({ waitEvent, ...step }: Step, values: ReturnType<typeof read>): Step {
  const { eventName: _, ...rest } = waitEvent ?? {};
  return {
    ...step,
    waitEvent: {
      ...rest,
      ...(values['waitEvent/eventName'] && { eventName: values['waitEvent/eventName'] }),
      since: values['waitEvent/since'] === 'entry' ? 'entry' : 'step',
    },
  };
}
