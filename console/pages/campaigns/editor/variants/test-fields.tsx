import { ChooserField } from '../../../../parts/choose/chooser.tsx';
import { events } from '../../../../parts/choose/things.ts';
import { Field, Select } from '../../../../parts/forms/field.tsx';
import type { Form } from '../../../../parts/forms/form.ts';
import type { Draft } from '../draft.ts';
import { minutesWords } from './words.ts';

export const METRICS = [
  { value: 'humanClicks', label: 'clicks of people' },
  { value: 'humanOpens', label: 'opens of people' },
  { value: 'event', label: 'people with an event' },
] as const;

export const TIES = [
  { value: 'first', label: 'send A to the others' },
  { value: 'hold', label: 'let the others wait until I choose' },
] as const;

const MINUTES = [15, 30, 60, 120, 240, 480, 720, 1_440, 2_880, 4_320, 10_080];

/** How the better mail is found. */
export function TestFields({ form, why }: { form: Form<Draft>; why: string | false }) {
  const { 'test/metric': metric } = form.values.value;
  return (
    <div class="cols near">
      <div class="c4">
        <Field
          form={form}
          name="test/share"
          label="Per cent of the people for the test"
          inputMode="numeric"
          hint="The others wait for the better mail."
          why={why}
        />
      </div>
      <div class="c4">
        <Select form={form} name="test/metric" label="The better one has more" why={why} options={METRICS} />
      </div>
      {metric === 'event' && (
        <div class="c4">
          <ChooserField
            form={form}
            name="event"
            label="Event"
            placeholder="Choose an event"
            why={why}
            things={events}
          />
        </div>
      )}
      <Minutes {...{ form, why }} name="test/decideAfterMinutes" label="Decided, after the last mail of the test" />
      <div class="c4">
        <Field
          form={form}
          name="test/minPerVariant"
          label="Not before each mail has reached"
          inputMode="numeric"
          hint="People. Fewer say little."
          why={why}
        />
      </div>
      <Minutes {...{ form, why }} name="test/giveUpAfterMinutes" label="The figures have time until" />
      <div class="c4">
        <Select form={form} name="test/onTie" label="If they have not decided by then" why={why} options={TIES} />
      </div>
    </div>
  );
}

/** With the one that is saved, whichever it is. */
function Minutes({
  form,
  name,
  ...said
}: {
  form: Form<Draft>;
  name: 'test/decideAfterMinutes' | 'test/giveUpAfterMinutes';
  label: string;
  why: string | false;
}) {
  const all = [...new Set([...MINUTES, Number(form.values.value[name])])].sort((a, b) => a - b);
  const options = all.map((minutes) => ({ value: String(minutes), label: `after ${minutesWords(minutes)}` }));
  return (
    <div class="c4">
      <Select {...{ form, name, options }} {...said} />
    </div>
  );
}
