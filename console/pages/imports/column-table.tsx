import type { CustomField } from '../../../client/index.ts';
import { can } from '../../session.ts';
import type { FieldType } from '../contacts/field-names.ts';
import { TypeChoice } from '../contacts/fields.tsx';
import { asProperty, type CONSENT_FIELDS, fieldOf, isAnswer, LEFT_OUT, misfits } from './columns.ts';

/** A column of the file and what becomes of it. */
export interface Column {
  name: string;
  /** The name that is sent in its place. */
  meaning: string;
  /** Of the first rows, without empty ones. */
  values: readonly string[];
  /** Of the field that it becomes, when it becomes a new one. */
  type: FieldType;
}

const TYPES: readonly FieldType[] = ['string', 'number', 'date', 'boolean'];
const SAMPLES_SHOWN = 3;

const known = [
  { value: 'email', label: 'Email address' },
  { value: 'firstName', label: 'First name' },
  { value: 'lastName', label: 'Last name' },
  { value: 'userId', label: 'User id' },
  { value: 'mobile', label: 'Mobile' },
];

const consent: readonly { value: (typeof CONSENT_FIELDS)[number]; label: string }[] = [
  { value: 'status', label: 'Subscribed, unsubscribed, bounced or complained' },
  { value: 'groups', label: 'Suppression groups' },
  { value: 'subscribedAt', label: 'Subscribed at' },
  { value: 'unsubscribedAt', label: 'Unsubscribed at' },
  { value: 'bouncedAt', label: 'Bounced at' },
  { value: 'complainedAt', label: 'Complained at' },
  { value: 'consentText', label: 'Text of the consent' },
  { value: 'consentAskedAt', label: 'Consent asked at' },
  { value: 'consentConfirmedAt', label: 'Consent confirmed at' },
  { value: 'consentAddress', label: 'IP address of the consent' },
];

const PROPERTY = /^contactProperties\./;

/** The fields that the columns need and the project does not have. */
export function newFields(columns: readonly Column[], declared: readonly CustomField[]) {
  return columns.flatMap(({ meaning, type }) => {
    const fieldName = fieldOf(meaning);
    const isNew = fieldName !== null && !declared.some((field) => field.fieldName === fieldName);
    return isNew ? [{ fieldName, fieldType: type }] : [];
  });
}

/** Each column with its first values, and what it becomes. */
export function ColumnTable({
  columns,
  declared,
  onChange,
}: {
  columns: readonly Column[];
  declared: readonly CustomField[];
  onChange: (columns: readonly Column[]) => void;
}) {
  const change = (index: number, changes: Partial<Column>) =>
    onChange(columns.with(index, { ...(columns[index] as Column), ...changes }));
  return (
    <div class="columns-list table-box">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Column of the file</th>
            <th scope="col">Becomes</th>
            <th scope="col">Holds</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((column, index) => (
            <tr key={index}>
              <th scope="row">
                <div class="mono cut">{column.name || <span class="dim">without a name</span>}</div>
                <div class="dim cut">{[...new Set(column.values)].slice(0, SAMPLES_SHOWN).join(', ')}</div>
              </th>
              <td data-head="Becomes">
                <Meaning name={column.name} value={column.meaning} onChange={(meaning) => change(index, { meaning })} />
              </td>
              <td data-head="Holds">
                <Holds column={column} declared={declared} onChange={(type) => change(index, { type })} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Holds({
  column: { name, meaning, values, type },
  declared,
  onChange,
}: {
  column: Column;
  declared: readonly CustomField[];
  onChange: (type: FieldType) => void;
}) {
  const fieldName = fieldOf(meaning);
  if (fieldName === null) return null;
  const own = declared.find((field) => field.fieldName === fieldName);
  if (!own && !can('customFields.create'))
    return <span class="dim">Kept with each person; an editor can make a field of it.</span>;
  const wrong = misfits(values, own?.fieldType ?? type);
  return (
    <>
      <TypeChoice label={`Type of ${name}`} value={type} types={TYPES} declared={own} onChange={onChange} />
      {wrong.length > 0 && (
        <span class="hint t-warn">
          {wrong.length} of the first {values.length} values may be refused, such as “{wrong[0]}”.
        </span>
      )}
    </>
  );
}

function Meaning({ name, value, onChange }: { name: string; value: string; onChange: (value: string) => void }) {
  const isKnown = (meaning: string) => [...known, ...consent].some((one) => one.value === meaning);
  const own = isKnown(value) || value === LEFT_OUT ? asProperty(name) : value;
  return (
    <select
      class="in"
      aria-label={`Meaning of ${name}`}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {known.map((one) => (
        <option key={one.value} value={one.value}>
          {one.label}
        </option>
      ))}
      {own && !isKnown(own) && (
        <option value={own}>
          {isAnswer(own) ? 'Yes or no: ' : 'the field '}
          {own.replace(PROPERTY, '')}
        </option>
      )}
      <optgroup label="Consent">
        {consent.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </optgroup>
      <option value={LEFT_OUT}>nothing, leave it out</option>
    </select>
  );
}
