import { useSignal } from '@preact/signals';
import type { Contact, ContactBody, CustomField } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { ChooserField } from '../../parts/choose/chooser.tsx';
import { listsWithoutSegments } from '../../parts/choose/things.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { FieldDialog } from './field-dialog.tsx';
import { labelOf } from './field-names.ts';
import { allFields } from './fields.tsx';

const FACTS = ['email', 'firstName', 'lastName', 'userId', 'mobile'] as const;

type Properties = NonNullable<ContactBody['contactProperties']>;

/** Adds a person, or changes one. Custom fields are sent as their type; an empty one is removed. */
export function ContactDialog({
  contact,
  onClose,
  onDone,
}: {
  contact?: Contact;
  onClose: () => void;
  onDone: (contact: Contact) => unknown;
}) {
  const fields = useQuery(allFields);
  const loaded = fields.data.value;
  if (!loaded && fields.error.value === null) return null;
  return <ContactForm {...{ contact, onClose, onDone }} fields={loaded ?? []} onField={() => fields.reload()} />;
}

function ContactForm({
  contact,
  fields,
  onField,
  onClose,
  onDone,
}: {
  contact: Contact | undefined;
  fields: readonly CustomField[];
  onField: () => unknown;
  onClose: () => void;
  onDone: (contact: Contact) => unknown;
}) {
  const form = useForm<Record<string, string>>({
    ...Object.fromEntries(FACTS.map((name) => [name, contact?.[name] ?? ''])),
    listIds: '',
    ...Object.fromEntries(
      fields.map(({ fieldName }) => [keyOf(fieldName), String(contact?.contactProperties[fieldName] ?? '')]),
    ),
  });
  const submit = form.submit(async (values) => {
    const contactProperties: Properties = {};
    for (const field of fields) {
      const text = values[keyOf(field.fieldName)] ?? '';
      const before = String(contact?.contactProperties[field.fieldName] ?? '');
      if (text !== before) contactProperties[field.fieldName] = text === '' ? null : typed(field, text);
    }
    // A field that was changed elsewhere since, and not here, stays as it is there.
    const changed = FACTS.filter((name) => (values[name] ?? '') !== (contact?.[name] ?? ''));
    const facts = Object.fromEntries(changed.map((name) => [name, values[name] ?? '']));
    const { email = '', listIds } = values;
    const done = contact
      ? await api.contacts.update(contact.id, { ...facts, contactProperties })
      : await api.contacts.create({ ...facts, email, contactProperties, ...(listIds && { listIds: [listIds] }) });
    onClose();
    await onDone(done);
  });
  const isMaking = useSignal(false);
  return (
    <>
      <FormDialog
        title={contact ? `Change ${contact.email}` : 'Add a person'}
        onClose={onClose}
        onSubmit={submit}
        form={form}
        action={contact ? 'Save' : 'Add person'}
      >
        <Field form={form} name="email" label="Address" type="email" autocomplete="off" />
        <Field form={form} name="firstName" label="First name" autocomplete="off" />
        <Field form={form} name="lastName" label="Last name" autocomplete="off" />
        <Field form={form} name="userId" label="User id" autocomplete="off" hint="The id in your own system." />
        <Field form={form} name="mobile" label="Mobile" autocomplete="off" placeholder="+12025550123" />
        {fields.map((field) => (
          <Field
            key={field.id}
            form={form}
            name={keyOf(field.fieldName)}
            label={labelOf(field)}
            hint={field.description || hints[field.fieldType]}
            autocomplete="off"
          />
        ))}
        <div>
          <Button
            isSmall
            operation="customFields.create"
            onClick={() => {
              isMaking.value = true;
            }}
          >
            Another field…
          </Button>
        </div>
        {!contact && <ChooserField form={form} name="listIds" label="List" things={listsWithoutSegments} none="None" />}
      </FormDialog>
      {isMaking.value && (
        <FieldDialog
          field={null}
          onClose={() => {
            isMaking.value = false;
          }}
          onDone={({ fieldName }) => {
            form.set(keyOf(fieldName), '');
            return onField();
          }}
        />
      )}
    </>
  );
}

/** As the interface names the field in its refusals. */
const keyOf = (fieldName: string): string => `contactProperties/${fieldName}`;

const hints: Record<CustomField['fieldType'], string> = {
  string: 'Text',
  number: 'A number',
  boolean: 'true or false',
  date: 'A date, such as 2026-11-22',
};

/** A text that is no value of its type is sent as it was typed: the refusal says why. */
function typed({ fieldType }: CustomField, text: string): string | number | boolean {
  if (fieldType === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (fieldType === 'number' && Number.isFinite(Number(text))) return Number(text);
  return text;
}
