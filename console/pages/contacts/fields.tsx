import type { CustomField } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { type FieldType, typeWords } from './field-names.ts';

/** Every declared field of the project, by name. */
export async function allFields(signal?: AbortSignal): Promise<CustomField[]> {
  const fields: CustomField[] = [];
  for await (const field of api.customFields.list({ limit: 100 }, signal ? { signal } : {})) fields.push(field);
  return fields;
}

/** The type of a field; a field that is declared already keeps its type. */
export function TypeChoice({
  label,
  value,
  types,
  declared,
  onChange,
}: {
  label: string;
  value: FieldType;
  types: readonly FieldType[];
  declared: CustomField | undefined;
  onChange: (type: FieldType) => void;
}) {
  if (declared) return <span class="dim">{typeWords[declared.fieldType]}, a field that is here already</span>;
  return (
    <select
      class="in"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as FieldType)}
    >
      {types.map((type) => (
        <option key={type} value={type}>
          {typeWords[type]}
        </option>
      ))}
    </select>
  );
}
