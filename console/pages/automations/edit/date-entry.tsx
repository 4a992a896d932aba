import type { EntryCriteria } from '../../../../client/index.ts';
import { Checkbox } from '../../../parts/forms/choices.tsx';
import { Field, Select } from '../../../parts/forms/field.tsx';
import type { Form } from '../../../parts/forms/form.ts';
import { numberIn } from './steps/wait.tsx';

export type DateValues = ReturnType<typeof readDate>;

/** Of an entry by a date of the contact. */
export function DateEntry<V extends DateValues>({ form, why }: { form: Form<V>; why: string | null }) {
  const own = form as unknown as Form<DateValues>;
  return (
    <>
      <Field
        form={own}
        name="entryCriteria/property"
        label="Date"
        placeholder="contactProperties.birthday"
        hint="A field of the contact that holds a date."
        isMono
        why={why}
      />
      <div class="two">
        <Field form={own} name="entryCriteria/offset/value" label="Days" type="number" min="0" why={why} />
        <Select
          form={own}
          name="entryCriteria/offset/direction"
          label="Before or after"
          why={why}
          options={[
            { value: 'before', label: 'before' },
            { value: 'after', label: 'after' },
          ]}
        />
      </div>
      <Field form={own} name="entryCriteria/time" label="At" type="time" isNarrow why={why} />
      <Checkbox
        form={own}
        name="entryCriteria/yearly"
        label="Each year"
        hint="On each anniversary, as of a birthday. Else once for each date."
        isDisabled={why !== null}
      />
    </>
  );
}

export function readDate({ property = '', offset, time = '09:00', yearly = false }: EntryCriteria) {
  return {
    'entryCriteria/property': property,
    'entryCriteria/offset/value': String(offset?.value ?? 0),
    'entryCriteria/offset/direction': (offset?.direction ?? 'before') as string,
    'entryCriteria/time': time,
    'entryCriteria/yearly': yearly,
  };
}

export function dateOf({ offset }: EntryCriteria, typed: DateValues): Omit<EntryCriteria, 'type'> {
  const value = numberIn(typed['entryCriteria/offset/value']);
  const direction = typed['entryCriteria/offset/direction'] === 'after' ? 'after' : 'before';
  return {
    property: typed['entryCriteria/property'],
    ...(value !== 0 && { offset: { value, unit: offset?.unit ?? 'days', direction } }),
    time: typed['entryCriteria/time'],
    yearly: typed['entryCriteria/yearly'],
  };
}
