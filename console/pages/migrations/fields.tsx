import type {
  CustomField,
  FieldMappingA,
  FieldMappingB,
  PlanOfProviderA,
  PlanOfProviderB,
} from '../../../client/index.ts';
import { Notice } from '../../parts/page/notice.tsx';
import { FIELD_NAME, type FieldType, fieldNameOf, RESERVED } from '../contacts/field-names.ts';
import { TypeChoice } from '../contacts/fields.tsx';

type Planned = (PlanOfProviderA | PlanOfProviderB)['customFields'][number];

/** A field of the source and what becomes of it. */
export interface FieldRow {
  id: string;
  source: string;
  isCopied: boolean;
  name: string;
  type: FieldType;
}

/** The names and types that the source has, where they can be names and types here. */
export function suggestedRows(fields: readonly Planned[], types: readonly FieldType[]): FieldRow[] {
  return fields.map(({ id, name, fieldType }) => {
    const own = fieldNameOf(name) ?? '';
    const type = types.find((one) => one === fieldType) ?? 'string';
    return { id, source: name, isCopied: own !== '', name: RESERVED.includes(own) ? `${own}_` : own, type };
  });
}

export function fieldsOf(rows: readonly FieldRow[]): FieldRow[] {
  return rows.filter(({ isCopied }) => isCopied);
}

/** The choice offers only types that the provider has. */
export function mappingA({ id, name, type }: FieldRow): FieldMappingA {
  return { providerAFieldId: id, fieldName: name, fieldType: type as FieldMappingA['fieldType'] };
}

export function mappingB({ id, name, type }: FieldRow): FieldMappingB {
  return { providerBFieldId: id, fieldName: name, fieldType: type };
}

/** Why the rows cannot be sent as they are, and what to do; null: they can. */
export function problemOf(rows: readonly FieldRow[], mappingsMax: number): string | null {
  const copied = fieldsOf(rows);
  if (copied.length > mappingsMax) return `At most ${mappingsMax} fields can be copied. Leave some of them out.`;
  const names = copied.map(({ name }) => name);
  const bad = copied.find(({ name }) => !FIELD_NAME.test(name));
  if (bad) return `The name of ${bad.source} here has 1 to 64 letters without accents, digits and underscores.`;
  const own = names.find((name) => RESERVED.includes(name));
  if (own) return `Every person has ${own} already. Give that field another name.`;
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice ? `Two fields are named ${twice}. Give one of them another name.` : null;
}

/** Each field of the source: whether it is copied, and under which name and type. */
export function FieldTable({
  rows,
  types,
  declared,
  problem,
  onChange,
}: {
  rows: readonly FieldRow[];
  types: readonly FieldType[];
  declared: readonly CustomField[];
  problem: string | null;
  onChange: (rows: readonly FieldRow[]) => void;
}) {
  const change = (index: number, changes: Partial<FieldRow>) =>
    onChange(rows.with(index, { ...(rows[index] as FieldRow), ...changes }));
  const left = rows.filter(({ isCopied }) => !isCopied);
  return (
    <>
      <div class="columns-list table-box">
        <table class="table">
          <caption class="sr">Custom fields of the account</caption>
          <thead>
            <tr>
              <th scope="col">Field there</th>
              <th scope="col">Name here</th>
              <th scope="col">Holds</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={row.id}>
                <th scope="row">
                  <label class="option">
                    <input
                      class="check"
                      type="checkbox"
                      aria-label={`Copy ${row.source}`}
                      checked={row.isCopied}
                      onChange={(event) => change(index, { isCopied: event.currentTarget.checked })}
                    />
                    <span class="mono cut">{row.source}</span>
                  </label>
                </th>
                <td data-head="Name here">
                  <input
                    class="in mono"
                    aria-label={`Name of ${row.source} here`}
                    value={row.name}
                    disabled={!row.isCopied}
                    onInput={(event) => change(index, { name: event.currentTarget.value })}
                  />
                </td>
                <td data-head="Holds">
                  {row.isCopied && (
                    <TypeChoice
                      label={`Type of ${row.source}`}
                      value={row.type}
                      types={types}
                      declared={declared.find(({ fieldName }) => fieldName === row.name)}
                      onChange={(type) => change(index, { type })}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {problem && <Notice kind="warn" title={problem} />}
      {left.length > 0 && (
        <p class="hint">Their values are not copied: {left.map(({ source }) => source).join(', ')}.</p>
      )}
    </>
  );
}
