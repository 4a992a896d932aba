import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from '../../../../parts/forms/button.tsx';
import { useQuery } from '../../../../parts/page/query.ts';
import { allFields } from '../../../contacts/fields.tsx';
import { valueIn } from './values.ts';

interface Row {
  key: number;
  name: string;
  value: string;
}

type Fields = Record<string, string | number | boolean | null>;

/** Fields of a person with their values, written in the types that they have. A field without a value is null. */
export function FieldRows({
  fields,
  label = 'Fields',
  errorOf = () => undefined,
  placeholder,
  hint,
  why,
  onChange,
}: {
  /** At the beginning. */
  fields: Fields;
  label?: string;
  errorOf?: (name: string) => string | undefined;
  placeholder?: string;
  hint?: string;
  why: string | null;
  onChange: (fields: Fields, field: string) => void;
}) {
  const id = useId();
  const declared = useQuery((signal) => allFields(signal));
  const types = new Map(declared.data.value?.map(({ fieldName, fieldType }) => [fieldName, fieldType]));
  const rows = useSignal<readonly Row[]>(rowsOf(fields));
  function setRows(next: readonly Row[], field: string): void {
    rows.value = next;
    const named = next.filter(({ name }) => name !== '');
    onChange(
      Object.fromEntries(named.map(({ name, value }) => [name, value === '' ? null : valueIn(value, types.get(name))])),
      field,
    );
  }
  const set = (key: number, changes: Partial<Row>) =>
    setRows(
      rows.peek().map((row) => (row.key === key ? { ...row, ...changes } : row)),
      `row ${key}`,
    );
  return (
    <fieldset class="stack near">
      <legend class="label">{label}</legend>
      <datalist id={id}>
        {[...types.keys()].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {rows.value.map((row, index) => (
        <div key={row.key} class="stack tight">
          <div class="row">
            <input
              class="in mono"
              list={id}
              aria-label={`Field ${index + 1}`}
              placeholder="field"
              value={row.name}
              readOnly={why !== null}
              onInput={(event) => set(row.key, { name: event.currentTarget.value })}
            />
            <input
              class="in"
              aria-label={`Value ${index + 1}`}
              placeholder={placeholder}
              value={row.value}
              readOnly={why !== null}
              onInput={(event) => set(row.key, { value: event.currentTarget.value })}
            />
            {why === null && (
              <Button
                isSmall
                kind="plain"
                icon="close"
                label={`Remove field ${index + 1}`}
                onClick={() =>
                  setRows(
                    rows.peek().filter(({ key }) => key !== row.key),
                    'rows',
                  )
                }
              />
            )}
          </div>
          {errorOf(row.name) && <span class="hint t-bad">{errorOf(row.name)}</span>}
        </div>
      ))}
      {why === null && (
        <div>
          <Button
            isSmall
            icon="plus"
            onClick={() => {
              const key = Math.max(-1, ...rows.peek().map((row) => row.key)) + 1;
              rows.value = [...rows.peek(), { key, name: '', value: '' }];
            }}
          >
            Field
          </Button>
        </div>
      )}
      {hint && <span class="hint">{hint}</span>}
    </fieldset>
  );
}

function rowsOf(fields: Fields): Row[] {
  return Object.entries(fields).map(([name, value], key) => ({ key, name, value: String(value ?? '') }));
}
