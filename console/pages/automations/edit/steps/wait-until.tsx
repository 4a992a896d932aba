import { zonesWith } from '../../../../locale.ts';
import { Checkbox, Options } from '../../../../parts/forms/choices.tsx';
import { Field, Select } from '../../../../parts/forms/field.tsx';
import { errorsIn } from '../fields/errors.ts';
import { Offset } from '../fields/offset.tsx';
import { numberIn } from '../fields/values.ts';
import type { Step } from '../model/steps.ts';
import { type Kind, type StepFormProps, useStepForm } from './step-form.ts';

type Until = NonNullable<Step['until']>;
type Weekday = NonNullable<Until['weekdays']>[number];

const WEEKDAYS = { mon: 'Mon', tue: 'Tue', wed: 'Wed', thu: 'Thu', fri: 'Fri', sat: 'Sat', sun: 'Sun' } as const;
const DAYS = Object.keys(WEEKDAYS) as Weekday[];
const OF_PROJECT = '';
const OF_PERSON = 'contact';

export const waitUntil: Kind = {
  label: 'Wait until',
  hint: 'A time of day, or a date of the person',
  icon: 'clock',
  make: () => ({ type: 'wait_until', until: { time: '09:00' } }),
  Form: WaitUntilForm,
};

function WaitUntilForm(props: StepFormProps) {
  const { step, errors, why, onChange } = props;
  const form = useStepForm(props, read, write);
  const values = form.values.value;
  return (
    <>
      <Options
        form={form}
        name="kind"
        label="Until"
        look="segments"
        options={[
          { value: 'time', label: 'A time of day', isDisabled: why !== null },
          { value: 'date', label: 'A date of the person', isDisabled: why !== null },
        ]}
      />
      {values.kind === 'time' ? (
        <>
          <Field form={form} name="until/time" label="Time" type="time" isNarrow why={why} />
          <fieldset class="row wrap">
            <legend class="label">On</legend>
            {DAYS.map((day) => (
              <Checkbox key={day} form={form} name={day} label={WEEKDAYS[day]} isDisabled={why !== null} />
            ))}
          </fieldset>
          <Select
            form={form}
            name="until/timezone"
            label="In the zone"
            why={why}
            options={[
              { value: OF_PROJECT, label: 'of the project' },
              { value: OF_PERSON, label: 'of each person' },
              ...zonesWith(values['until/timezone'] === OF_PERSON ? '' : values['until/timezone']),
            ]}
          />
          <Field
            form={form}
            name="until/latestAfterDays"
            label="At most days"
            type="number"
            min="1"
            placeholder="as long as it takes"
            hint="The wait ends after so many days, if no such moment comes before."
            why={why}
          />
        </>
      ) : (
        <>
          <Field
            form={form}
            name="until/property"
            label="Date"
            placeholder="contactProperties.renewsAt"
            hint="A field of the person that holds a date. A person without one leaves here."
            isMono
            why={why}
          />
          <Offset
            offset={step.until?.offset}
            errors={errorsIn(errors, 'until/offset')}
            why={why}
            onChange={(offset, field) =>
              onChange({ ...step, until: dateOf(step.until?.property ?? '', offset) }, `${step.stepId} offset ${field}`)
            }
          />
        </>
      )}
    </>
  );
}

function read({ until = {} }: Step) {
  const { time, weekdays = DAYS, timezone = OF_PROJECT, property = '', latestAfterDays } = until;
  const on = Object.fromEntries(DAYS.map((day) => [day, weekdays.includes(day)])) as Record<Weekday, boolean>;
  return {
    ...on,
    kind: property ? 'date' : 'time',
    'until/time': time ?? '09:00',
    'until/timezone': timezone,
    'until/latestAfterDays': String(latestAfterDays ?? ''),
    'until/property': property,
  };
}

function write(step: Step, values: ReturnType<typeof read>): Step {
  return {
    ...step,
    until: values.kind === 'time' ? timeOf(values) : dateOf(values['until/property'], step.until?.offset),
  };
}

function timeOf(values: ReturnType<typeof read>): Until {
  const weekdays = DAYS.filter((day) => values[day]);
  const latest = values['until/latestAfterDays'];
  return {
    time: values['until/time'],
    ...(weekdays.length < DAYS.length && { weekdays }),
    ...(values['until/timezone'] !== OF_PROJECT && { timezone: values['until/timezone'] }),
    ...(latest !== '' && { latestAfterDays: numberIn(latest) }),
  };
}

function dateOf(property: string, offset: Until['offset']): Until {
  return { property, ...(offset && { offset }) };
}
