import type { CustomField } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Field, Select, TextArea } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { type FieldType, fieldNameOf, labelOf, typeWords } from './field-names.ts';

/** Makes a field, or changes how people read it, its description and its default. */
export function FieldDialog({
  field,
  onDone,
  onClose,
}: {
  field: CustomField | null;
  onDone: (saved: CustomField) => unknown;
  onClose: () => void;
}) {
  const form = useForm({
    fieldName: field?.fieldName ?? '',
    fieldType: field?.fieldType ?? ('string' as string),
    label: field?.label ?? '',
    description: field?.description ?? '',
    defaultValue: field?.defaultValue == null ? '' : String(field.defaultValue),
  });
  const typed = form.values.value.fieldName.trim();
  const fieldName = fieldNameOf(typed) ?? typed;
  const submit = form.submit(async ({ fieldType, label, description, defaultValue }) => {
    const shown = label || (fieldName === typed ? '' : typed);
    const details = { label: shown, description, defaultValue: defaultValue === '' ? null : defaultValue };
    const saved = field
      ? await api.customFields.update(field.id, details)
      : await api.customFields.create({ fieldName, fieldType: fieldType as FieldType, ...details });
    onClose();
    toast(field ? `Saved ${labelOf(saved)}` : `Made ${labelOf(saved)}`, { kind: 'good' });
    await onDone(saved);
  });
  const why = field && 'It stays: values, filters and templates name the field so.';
  return (
    <FormDialog
      title={field ? `Change ${labelOf(field)}` : 'New field'}
      onClose={onClose}
      onSubmit={submit}
      form={form}
      action={field ? 'Save' : 'Make field'}
    >
      <Field
        form={form}
        name="fieldName"
        label="Name"
        isMono
        autocomplete="off"
        placeholder="city"
        hint={fieldName === typed ? 'Letters, digits and _. Mails name it so.' : `Mails name it ${fieldName}.`}
        why={why}
      />
      <Field
        form={form}
        name="label"
        label="Shown as"
        autocomplete="off"
        placeholder={typed || 'City'}
        hint="How people read it here. It can change at any time."
      />
      <Select
        form={form}
        name="fieldType"
        label="Type"
        hint="Values that are written from now on must have it."
        why={why}
        options={Object.entries(typeWords).map(([value, label]) => ({ value, label }))}
      />
      <TextArea form={form} name="description" label="Description" rows={3} />
      <Field
        form={form}
        name="defaultValue"
        label="Value of new contacts"
        autocomplete="off"
        placeholder="Empty"
        hint="For contacts that are made without one."
      />
    </FormDialog>
  );
}
