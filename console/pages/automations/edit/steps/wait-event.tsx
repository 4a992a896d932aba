import type { AutomationWaitEvent } from '../../../../../client/index.ts';
import { ChooserField } from '../../../../parts/choose/chooser.tsx';
import { events } from '../../../../parts/choose/things.ts';
import { Field, Select } from '../../../../parts/forms/field.tsx';
import type { Step } from '../model/steps.ts';
import { type Kind, type StepFormProps, useStepForm } from './step-form.ts';
import { numberIn } from './wait.tsx';

type Timeout = NonNullable<AutomationWaitEvent['timeout']>;

export const waitEvent: Kind = {
  label: 'Wait for an event',
  hint: 'Another way when it does not come in time',
  icon: 'now',
  make: () => ({ type: 'wait_event', waitEvent: { timeout: { value: 3, unit: 'days' } } }),
  Form: WaitEventForm,
};

function WaitEventForm(props: StepFormProps) {
  const { why } = props;
  const form = useStepForm(props, read, write);
  return (
    <>
      {why === null ? (
        <ChooserField
          form={form}
          name="waitEvent/eventName"
          label="Event"
          placeholder="Choose an event"
          things={events}
        />
      ) : (
        <Field form={form} name="waitEvent/eventName" label="Event" isMono why={why} />
      )}
      <div class="two">
        <Field form={form} name="waitEvent/timeout/value" label="At most" type="number" min="0" why={why} />
        <Select
          form={form}
          name="waitEvent/timeout/unit"
          label="Unit"
          why={why}
          options={[
            { value: 'minutes', label: 'minutes' },
            { value: 'hours', label: 'hours' },
            { value: 'days', label: 'days' },
          ]}
        />
      </div>
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
      {props.step.waitEvent?.filterCriteria && (
        <p class="dim small">It has conditions, which the interface alone changes.</p>
      )}
    </>
  );
}

function read({ waitEvent: { eventName = '', timeout, since = 'step' } = {} }: Step) {
  const { value = 0, unit = 'days' } = timeout ?? {};
  return {
    'waitEvent/eventName': eventName,
    'waitEvent/timeout/value': String(value),
    'waitEvent/timeout/unit': unit === 'mins' ? 'minutes' : (unit as string),
    'waitEvent/since': since as string,
  };
}

function write(step: Step, values: ReturnType<typeof read>): Step {
  const unit = values['waitEvent/timeout/unit'] as Timeout['unit'];
  const { filterCriteria } = step.waitEvent ?? {};
  return {
    ...step,
    waitEvent: {
      ...(values['waitEvent/eventName'] && { eventName: values['waitEvent/eventName'] }),
      timeout: { value: numberIn(values['waitEvent/timeout/value']), unit },
      since: values['waitEvent/since'] === 'entry' ? 'entry' : 'step',
      ...(filterCriteria && { filterCriteria }),
    },
  };
}
