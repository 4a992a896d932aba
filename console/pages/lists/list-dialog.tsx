import type { ContactList } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Checkbox } from '../../parts/forms/choices.tsx';
import { Field, TextArea } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FormDialog } from '../../parts/over/form-dialog.tsx';

/** Makes a list, or changes one. */
export function ListDialog({
  list,
  name = '',
  onDone,
  onClose,
}: {
  list?: ContactList;
  /** Of a new one, to begin with. */
  name?: string;
  onDone: (list: ContactList) => unknown;
  onClose: () => void;
}) {
  const form = useForm({
    name: list?.name ?? name,
    description: list?.description ?? '',
    isPublic: list?.isPublic ?? false,
  });
  const submit = form.submit(async (body) => {
    const done = list ? await api.contactLists.update(list.id, body) : await api.contactLists.create(body);
    onClose();
    await onDone(done);
  });
  return (
    <FormDialog
      title={list ? `Change ${list.name}` : 'New list'}
      onClose={onClose}
      onSubmit={submit}
      form={form}
      action={list ? 'Save' : 'Make list'}
    >
      <Field form={form} name="name" label="Name" autocomplete="off" placeholder="Newsletter" />
      <TextArea form={form} name="description" label="Description" rows={3} />
      <Checkbox
        form={form}
        name="isPublic"
        label="On the preference page"
        hint="People see the list by its name, and leave or join it there."
      />
    </FormDialog>
  );
}
