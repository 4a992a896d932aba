import { Field, Select } from '../../../../parts/forms/field.tsx';
import { useLinkedForm } from '../steps/step-form.ts';
import { numberIn } from './values.ts';

interface Amounted {
  value: number;
  unit: string;
}

export const UNITS = ['minutes', 'hours', 'days'] as const;

/** A number and its unit, as they were written: 90 minutes stay 90 minutes. */
export function Amount<A extends Amounted>({
  amount,
  units,
  label,
  min = '0',
  errors,
  why,
  onChange,
}: {
  amount: A;
  units: ReadonlyArray<A['unit']>;
  label: string;
  min?: string;
  errors: Record<string, string>;
  why: string | null;
  onChange: (amount: A, field: string) => void;
}) {
  const form = useLinkedForm({ value: amount, errors, onChange }, read, write<A>);
  return (
    <div class="two">
      <Field form={form} name="value" label={label} type="number" min={min} why={why} />
      <Select
        form={form}
        name="unit"
        label="Unit"
        why={why}
        options={units.map((unit) => ({ value: unit, label: unit }))}
      />
    </div>
  );
}

function read({ value, unit }: Amounted) {
  return { value: String(value), unit: unit === 'mins' ? 'minutes' : unit };
}

function write<A extends Amounted>(amount: A, { value, unit }: ReturnType<typeof read>): A {
  return { ...amount, value: numberIn(value), unit };
}
