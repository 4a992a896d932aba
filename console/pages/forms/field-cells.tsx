import type { FormFieldType } from '../../../client/index.ts';
import { type Choice, FieldFrame } from '../../parts/forms/field.tsx';
import type { Form } from '../../parts/forms/form.ts';
import type { Draft, DraftField } from './draft.ts';

interface Cell {
  form: Form<Draft>;
  field: DraftField;
  index: number;
  isReadOnly: boolean;
  onChange: (changes: Partial<DraftField>) => void;
}

const types: readonly (Choice & { value: FormFieldType })[] = [
  { value: 'text', label: 'A line of text' },
  { value: 'number', label: 'A number' },
  { value: 'date', label: 'A date' },
  { value: 'checkbox', label: 'A box to tick' },
  { value: 'select', label: 'One of several' },
];

/** As the interface calls what the editor calls `initial`. */
const wireNames = { label: 'label', name: 'name', initial: 'default' } as const;

/** The same form, for refusals of a part of a field: `fields/0/label`. */
function deep(form: Form<Draft>): Form<Record<string, unknown>> {
  return form as unknown as Form<Record<string, unknown>>;
}

export function Text({
  form,
  field,
  index,
  isReadOnly,
  onChange,
  of,
  label,
  placeholder,
  list,
  isMono,
}: Cell & {
  of: 'label' | 'name' | 'initial';
  label: string;
  placeholder?: string;
  list?: string;
  isMono?: boolean;
}) {
  const isDate = of === 'initial' && field.type === 'date';
  return (
    <FieldFrame form={deep(form)} name={`fields/${index}/${wireNames[of]}`} label={label}>
      {({ id, describedBy, error }) => (
        <input
          id={id}
          class={isMono ? 'in mono' : 'in'}
          type={isDate ? 'date' : 'text'}
          autocomplete="off"
          list={list}
          placeholder={placeholder}
          value={field[of]}
          readOnly={isReadOnly}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy}
          onInput={(event) => onChange({ [of]: event.currentTarget.value })}
        />
      )}
    </FieldFrame>
  );
}

export function Kind({ form, field, index, isReadOnly, onChange }: Cell) {
  return (
    <FieldFrame form={deep(form)} name={`fields/${index}/type`} label="Is">
      {({ id, describedBy, error }) => (
        <select
          id={id}
          class="in"
          value={field.type}
          disabled={isReadOnly}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy}
          onChange={(event) => onChange({ type: event.currentTarget.value as FormFieldType, initial: '' })}
        >
          {types.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}

/** The value that a field begins with. */
export function Begins(cell: Cell) {
  const { form, field, index, isReadOnly, onChange } = cell;
  if (field.type !== 'checkbox') return <Text {...cell} of="initial" label="Begins with" placeholder="nothing" />;
  return (
    <FieldFrame form={deep(form)} name={`fields/${index}/default`} label="Begins">
      {({ id, describedBy }) => (
        <select
          id={id}
          class="in"
          value={field.initial === 'true' ? 'true' : ''}
          disabled={isReadOnly}
          aria-describedby={describedBy}
          onChange={(event) => onChange({ initial: event.currentTarget.value })}
        >
          <option value="">without a tick</option>
          <option value="true">ticked</option>
        </select>
      )}
    </FieldFrame>
  );
}

export function Choices({ form, field, index, isReadOnly, onChange }: Cell) {
  return (
    <FieldFrame form={deep(form)} name={`fields/${index}/options`} label="Choices, one a line">
      {({ id, describedBy, error }) => (
        <textarea
          id={id}
          class="in"
          rows={3}
          value={field.options}
          readOnly={isReadOnly}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy}
          onInput={(event) => onChange({ options: event.currentTarget.value })}
        />
      )}
    </FieldFrame>
  );
}
