import { useSignal } from '@preact/signals';
import type { AutomationUpdate } from '../../../../../client/index.ts';
import { ChipChoice } from '../../../../parts/choose/chip-choice.tsx';
import { listsWithoutSegments } from '../../../../parts/choose/things.ts';
import { Button } from '../../../../parts/forms/button.tsx';
import { useQuery } from '../../../../parts/page/query.ts';
import { allFields } from '../../../contacts/fields.tsx';
import { valueIn } from '../fields/values.ts';
import type { Step } from '../model/steps.ts';
import type { Kind, StepFormProps } from './step-form.ts';

export const updateContact: Kind = {
  label: 'Change the person',
  hint: 'Set fields, add to lists or remove from them',
  icon: 'contacts',
  make: () => ({ type: 'update_contact', update: {} }),
  Form: UpdateForm,
};

interface Row {
  key: number;
  name: string;
  value: string;
}

function UpdateForm({ step, errors, why, onChange }: StepFormProps) {
  const update = step.update ?? {};
  const { addListIds = [], removeListIds = [] } = update;
  const fields = useQuery((signal) => allFields(signal));
  const rows = useSignal<readonly Row[]>(rowsOf(update));
  const types = new Map(fields.data.value?.map(({ fieldName, fieldType }) => [fieldName, fieldType]));
  const change = (changes: AutomationUpdate, field: string) =>
    onChange(written(step, changes), `${step.stepId} ${field}`);
  function setRows(next: readonly Row[], field: string): void {
    rows.value = next;
    const named = next.filter(({ name }) => name !== '');
    const properties = Object.fromEntries(
      named.map(({ name, value }) => [name, value === '' ? null : valueIn(value, types.get(name))]),
    );
    change({ contactProperties: properties }, field);
  }
  const set = (key: number, changes: Partial<Row>) =>
    setRows(
      rows.peek().map((row) => (row.key === key ? { ...row, ...changes } : row)),
      `row ${key}`,
    );
  return (
    <>
      <datalist id="field-names">
        {[...types.keys()].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <fieldset class="stack near">
        <legend class="label">Fields</legend>
        {rows.value.map((row, index) => (
          <div key={row.key} class="stack tight">
            <div class="row">
              <input
                class="in mono"
                list="field-names"
                aria-label={`Field ${index + 1}`}
                placeholder="field"
                value={row.name}
                readOnly={why !== null}
                onInput={(event) => set(row.key, { name: event.currentTarget.value })}
              />
              <input
                class="in"
                aria-label={`Value ${index + 1}`}
                placeholder="empty removes it"
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
            {errors[`update/contactProperties/${row.name}`] && (
              <span class="hint t-bad">{errors[`update/contactProperties/${row.name}`]}</span>
            )}
          </div>
        ))}
        {why === null && (
          <div>
            <Button
              isSmall
              icon="plus"
              onClick={() => {
                rows.value = [...rows.peek(), { key: nextKey(rows.peek()), name: '', value: '' }];
              }}
            >
              Field
            </Button>
          </div>
        )}
      </fieldset>
      <ChipChoice
        things={listsWithoutSegments}
        label="Add to"
        add="Choose a list to add to"
        chosen={addListIds}
        isReadOnly={why !== null}
        error={errors['update/addListIds']}
        onChange={(ids) => change({ addListIds: [...ids] }, 'add')}
      />
      <ChipChoice
        things={listsWithoutSegments}
        label="Remove from"
        add="Choose a list to remove from"
        chosen={removeListIds}
        isReadOnly={why !== null}
        error={errors['update/removeListIds']}
        onChange={(ids) => change({ removeListIds: [...ids] }, 'remove')}
      />
    </>
  );
}

function rowsOf({ contactProperties = {} }: AutomationUpdate): Row[] {
  return Object.entries(contactProperties).map(([name, value], key) => ({ key, name, value: String(value ?? '') }));
}

function nextKey(rows: readonly Row[]): number {
  return Math.max(-1, ...rows.map(({ key }) => key)) + 1;
}

function written(step: Step, changes: AutomationUpdate): Step {
  const { contactProperties = {}, addListIds = [], removeListIds = [] } = { ...step.update, ...changes };
  return {
    ...step,
    update: {
      ...(Object.keys(contactProperties).length > 0 && { contactProperties }),
      ...(addListIds.length > 0 && { addListIds }),
      ...(removeListIds.length > 0 && { removeListIds }),
    },
  };
}
