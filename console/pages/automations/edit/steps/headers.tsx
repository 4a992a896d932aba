import { useSignal } from '@preact/signals';
import { Button } from '../../../../parts/forms/button.tsx';
import type { StepFormProps } from './step-form.ts';

interface Row {
  key: number;
  name: string;
  /** Its value is stored, or is sent with the next save. */
  hasValue: boolean;
  typed: string;
}

/** The headers of a webhook. A value that was typed is sealed, and is never shown again. */
export function Headers({ step, errors, why, secrets, onChange }: StepFormProps) {
  const rows = useSignal<readonly Row[]>(rowsOf(step));
  function set(next: readonly Row[]): void {
    rows.value = next;
    const headers = next.filter(({ name, hasValue }) => name && hasValue).map(({ name }) => ({ name }));
    const { headers: _, ...webhook } = step.webhook ?? { wait: false };
    onChange({ ...step, webhook: { ...webhook, ...(headers.length > 0 && { headers }) } }, `${step.stepId} headers`);
  }
  function change({ key }: Row, changes: Partial<Row>): void {
    // Not the row that was drawn: both of its fields may change before the next drawing.
    set(rows.peek().map((row) => (row.key === key ? given({ ...row, ...changes }) : row)));
  }
  function given(row: Row): Row {
    if (row.name === '' || row.typed === '') return row;
    secrets.set(step.stepId, row.name, row.typed);
    return { ...row, hasValue: true, typed: '' };
  }
  return (
    <fieldset class="stack near">
      <legend class="label">Headers</legend>
      {rows.value.map((row, index) => (
        <div key={row.key} class="stack tight">
          <div class="row">
            <input
              class="in mono"
              aria-label={`Header ${index + 1}`}
              placeholder="Authorization"
              value={row.name}
              readOnly={why !== null || row.hasValue}
              onChange={({ currentTarget }) => change(row, { name: currentTarget.value.trim() })}
            />
            <input
              class="in"
              type="password"
              autocomplete="off"
              aria-label={`Value of header ${index + 1}`}
              placeholder={row.hasValue ? 'kept' : 'value'}
              value={row.typed}
              readOnly={why !== null}
              onChange={({ currentTarget }) => change(row, { typed: currentTarget.value })}
            />
            {why === null && (
              <Button
                isSmall
                kind="plain"
                icon="close"
                label={`Remove header ${index + 1}`}
                onClick={() => set(rows.peek().filter(({ key }) => key !== row.key))}
              />
            )}
          </div>
          {!row.hasValue && <span class="hint">It is sent once it has a name and a value.</span>}
          {errorAt(errors, row, rows.value) && <span class="hint t-bad">{errorAt(errors, row, rows.value)}</span>}
        </div>
      ))}
      {why === null && (
        <div>
          <Button
            isSmall
            icon="plus"
            onClick={() => {
              const key = Math.max(-1, ...rows.peek().map((row) => row.key)) + 1;
              rows.value = [...rows.peek(), { key, name: '', hasValue: false, typed: '' }];
            }}
          >
            Header
          </Button>
        </div>
      )}
      <span class="hint">
        Values are sealed when they are saved, and never shown. Type one to replace it. Another address needs them
        again.
      </span>
    </fieldset>
  );
}

function rowsOf({ webhook }: StepFormProps['step']): Row[] {
  return (webhook?.headers ?? []).map(({ name }, key) => ({ key, name, hasValue: true, typed: '' }));
}

/** The interface counts the headers that were sent. */
function errorAt(errors: Record<string, string>, row: Row, rows: readonly Row[]): string | undefined {
  const index = rows.filter(({ hasValue }) => hasValue).findIndex(({ key }) => key === row.key);
  return errors[`webhook/headers/${index}/value`] ?? errors[`webhook/headers/${index}/name`];
}
