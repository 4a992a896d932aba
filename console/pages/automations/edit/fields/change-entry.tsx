import type { EntryCriteria } from '../../../../../client/index.ts';
import { Field, Select } from '../../../../parts/forms/field.tsx';
import { useQuery } from '../../../../parts/page/query.ts';
import { allFields } from '../../../contacts/fields.tsx';
import { useLinkedForm } from '../steps/step-form.ts';
import { valueIn } from './values.ts';

interface Props {
  entry: EntryCriteria;
  errors: Record<string, string>;
  why: string | null;
  onChange: (entry: EntryCriteria, field: string) => void;
}

type Value = EntryCriteria['fromValue'];
const ANY = 'any';
const EMPTY = 'empty';
const THIS = 'this';

/** Of an entry by a change of a field: from one value, or any, to another. */
export function ChangeEntry({ entry, errors, why, onChange }: Props) {
  const fields = useQuery((signal) => allFields(signal));
  const types = new Map(
    fields.data.value?.map(({ fieldName, fieldType }) => [`contactProperties.${fieldName}`, fieldType]),
  );
  const form = useLinkedForm({ value: entry, errors, onChange }, read, (now, typed) => written(now, typed, types));
  const typed = form.values.value;
  return (
    <>
      <Field form={form} name="property" label="Field" placeholder="contactProperties.plan" isMono why={why} />
      {SIDES.map(({ kind, value, label }) => (
        <div key={kind} class="two">
          <Select form={form} name={kind} label={label} why={why} options={CHOICES} />
          {typed[kind] === THIS && <Field form={form} name={value} label="Value" why={why} />}
        </div>
      ))}
    </>
  );
}

const CHOICES = [
  { value: ANY, label: 'any value' },
  { value: EMPTY, label: 'no value' },
  { value: THIS, label: 'this value' },
];
const SIDES = [
  { kind: 'from', value: 'fromValue', label: 'From' },
  { kind: 'to', value: 'toValue', label: 'To' },
] as const;

function read({ property = '', fromValue, toValue }: EntryCriteria) {
  return {
    ...{ property, from: kindOf(fromValue), fromValue: String(fromValue ?? '') },
    ...{ to: kindOf(toValue), toValue: String(toValue ?? '') },
  };
}

function kindOf(value: Value): string {
  return value === undefined || value === null ? ANY : value === '' ? EMPTY : THIS;
}

function written(
  { fromValue: _, toValue: __, ...entry }: EntryCriteria,
  typed: ReturnType<typeof read>,
  types: ReadonlyMap<string, string>,
): EntryCriteria {
  const given = (kind: string, text: string) =>
    kind === ANY ? undefined : kind === EMPTY ? '' : valueIn(text, types.get(typed.property));
  const fromValue = given(typed.from, typed.fromValue);
  const toValue = given(typed.to, typed.toValue);
  return {
    ...{ ...entry, property: typed.property },
    ...(fromValue !== undefined && { fromValue }),
    ...(toValue !== undefined && { toValue }),
  };
}
