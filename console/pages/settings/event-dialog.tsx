import { useSignal } from '@preact/signals';
import type { EventDefinition } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Field, TextArea } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { typeWords } from '../contacts/field-names.ts';

type Property = EventDefinition['properties'][number];
type Row = Property & { key: number };

const types = Object.entries(typeWords);

/** Defines an event, or changes its description and its properties. */
export function EventDialog({
  event,
  onDone,
  onClose,
}: {
  event: EventDefinition | null;
  onDone: () => unknown;
  onClose: () => void;
}) {
  const form = useForm({ eventName: event?.eventName ?? '', description: event?.description ?? '' });
  const rows = useSignal<readonly Row[]>((event?.properties ?? []).map((one, key) => ({ ...one, key })));
  const change = (key: number, part: Partial<Property>) => {
    rows.value = rows.value.map((row) => (row.key === key ? { ...row, ...part } : row));
  };
  const submit = form.submit(async ({ eventName, description }) => {
    const properties = rows.peek().map(({ key: _, ...property }) => property);
    const saved = event
      ? await api.events.update(event.id, { description, properties })
      : await api.events.create({ eventName, description, properties });
    onClose();
    toast(event ? `Saved ${saved.eventName}` : `Made ${saved.eventName}`, { kind: 'good' });
    await onDone();
  });
  return (
    <FormDialog
      title={event ? `Change ${event.eventName}` : 'New event'}
      onClose={onClose}
      onSubmit={submit}
      form={form}
      action={event ? 'Save' : 'Make event'}
    >
      <Field
        form={form}
        name="eventName"
        label="Name"
        isMono
        autocomplete="off"
        placeholder="purchase"
        hint="Letters, digits and _."
        why={event && 'It stays: programs send the event by it.'}
      />
      <TextArea form={form} name="description" label="Description" rows={2} />
      <fieldset class="stack tight">
        <legend class="label">Properties</legend>
        {rows.value.map(({ key, propertyName, type }, index) => (
          <div key={key} class="row">
            <input
              class="in mono grow"
              type="text"
              autocomplete="off"
              aria-label={`Name of property ${index + 1}`}
              placeholder="amount"
              value={propertyName}
              onInput={({ currentTarget: { value } }) => change(key, { propertyName: value })}
            />
            <select
              class="in fit"
              aria-label={`Type of property ${index + 1}`}
              value={type}
              onChange={({ currentTarget: { value } }) => change(key, { type: value as Property['type'] })}
            >
              {types.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
            <Button
              isSmall
              kind="plain"
              icon="close"
              label={`Remove property ${index + 1}`}
              onClick={() => {
                rows.value = rows.value.filter((row) => row.key !== key);
              }}
            />
          </div>
        ))}
        <div>
          <Button
            isSmall
            icon="plus"
            onClick={() => {
              const key = Math.max(0, ...rows.value.map((row) => row.key)) + 1;
              rows.value = [
                ...rows.value,
                { key, propertyName: '', type: 'string', description: '', suggestedValues: [] },
              ];
            }}
          >
            Add a property
          </Button>
        </div>
      </fieldset>
    </FormDialog>
  );
}
