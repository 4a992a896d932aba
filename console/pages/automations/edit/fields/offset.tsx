import type { AutomationOffset } from '../../../../../client/index.ts';
import { Field, Select } from '../../../../parts/forms/field.tsx';
import { useLinkedForm } from '../steps/step-form.ts';
import { UNITS } from './amount.tsx';
import { numberIn } from './values.ts';

const DIRECTIONS = ['before', 'after'] as const;
const PLACES = UNITS.toReversed().flatMap((unit) => DIRECTIONS.map((direction) => `${unit} ${direction}`));

/** So long before or after a date; undefined: at the date itself. */
export function Offset({
  offset,
  errors,
  why,
  onChange,
}: {
  offset: AutomationOffset | undefined;
  errors: Record<string, string>;
  why: string | null;
  onChange: (offset: AutomationOffset | undefined, field: string) => void;
}) {
  const form = useLinkedForm({ value: offset, errors, onChange }, read, write);
  return (
    <div class="two">
      <Field form={form} name="value" label="How long" type="number" min="0" why={why} />
      <Select
        form={form}
        name="place"
        label="Before or after"
        why={why}
        options={PLACES.map((place) => ({ value: place, label: place }))}
      />
    </div>
  );
}

function read(offset: AutomationOffset | undefined) {
  const { value = 0, unit = 'days', direction = 'before' } = offset ?? {};
  return { value: String(value), place: `${unit} ${direction}` };
}

function write(_: AutomationOffset | undefined, typed: ReturnType<typeof read>): AutomationOffset | undefined {
  const value = numberIn(typed.value);
  const [unit, direction] = typed.place.split(' ') as [AutomationOffset['unit'], AutomationOffset['direction']];
  return value === 0 ? undefined : { value, unit, direction };
}
