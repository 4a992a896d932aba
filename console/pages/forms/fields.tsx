import { useId } from 'preact/hooks';
import type { CustomField } from '../../../client/index.ts';
import { Button } from '../../parts/forms/button.tsx';
import type { Form } from '../../parts/forms/form.ts';
import { type Draft, type DraftField, newField } from './draft.ts';
import { Begins, Choices, Kind, Text } from './field-cells.tsx';

const OF_CONTACTS = ['firstName', 'lastName', 'mobile'];

/** The fields that a form asks for next to the address, in their order. */
export function FieldRows({
  form,
  customFields,
  isReadOnly,
}: {
  form: Form<Draft>;
  customFields: readonly CustomField[];
  isReadOnly: boolean;
}) {
  const namesId = useId();
  const { fields } = form.values.value;
  const set = (next: readonly DraftField[]) => {
    form.errors.value = withoutFields(form.errors.peek());
    form.set('fields', next);
  };
  return (
    <div class="stack">
      <p class="sub">The address is always asked for.</p>
      <datalist id={namesId}>
        {[...OF_CONTACTS, ...customFields.map(({ fieldName }) => fieldName)].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {fields.length > 0 && (
        <ol class="form-fields">
          {fields.map((field, index) => (
            <Row
              key={field.key}
              form={form}
              field={field}
              index={index}
              namesId={namesId}
              isReadOnly={isReadOnly}
              onChange={(changes) => set(fields.map((one) => (one === field ? { ...one, ...changes } : one)))}
              onMove={index > 0 ? () => set(fields.toSpliced(index, 1).toSpliced(index - 1, 0, field)) : null}
              onRemove={() => set(fields.filter((one) => one !== field))}
            />
          ))}
        </ol>
      )}
      {!isReadOnly && (
        <Button icon="plus" onClick={() => set([...fields, newField()])}>
          Add a field
        </Button>
      )}
    </div>
  );
}

/** Refusals name fields by their places, which may have changed. */
function withoutFields(errors: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(errors).filter(([name]) => !name.startsWith('fields')));
}

interface RowProps {
  form: Form<Draft>;
  field: DraftField;
  index: number;
  namesId: string;
  isReadOnly: boolean;
  onChange: (changes: Partial<DraftField>) => void;
  /** null: it is the first. */
  onMove: (() => void) | null;
  onRemove: () => void;
}

function Row({ form, field, index, namesId, isReadOnly, onChange, onMove, onRemove }: RowProps) {
  const { label, type, required } = field;
  const called = label || `field ${index + 1}`;
  const row = { form, index, field, isReadOnly, onChange };
  return (
    <li class="stack near">
      <div class="two">
        <Text {...row} of="label" label="Asks for" placeholder="First name" />
        <Text {...row} of="name" label="Kept as" placeholder="firstName" list={namesId} isMono />
        <Kind {...row} />
        <Begins {...row} />
      </div>
      {type === 'select' && <Choices {...row} />}
      <div class="row wrap">
        <label class="option grow">
          <input
            class="check"
            type="checkbox"
            checked={required}
            disabled={isReadOnly}
            onChange={(event) => onChange({ required: event.currentTarget.checked })}
          />
          <span>{type === 'checkbox' ? 'Must be ticked' : 'Must be filled in'}</span>
        </label>
        {!isReadOnly && onMove && (
          <Button isSmall label={`Move ${called} up`} onClick={onMove}>
            Up
          </Button>
        )}
        {!isReadOnly && (
          <Button isSmall label={`Remove ${called}`} onClick={onRemove}>
            Remove
          </Button>
        )}
      </div>
    </li>
  );
}
