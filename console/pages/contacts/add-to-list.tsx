import { api } from '../../api.ts';
import { ChooserField } from '../../parts/choose/chooser.tsx';
import { listsWithoutSegments } from '../../parts/choose/things.ts';
import { people } from '../../parts/data/format.ts';
import { useForm } from '../../parts/forms/form.ts';
import { FormDialog } from '../../parts/over/form-dialog.tsx';

export function AddToListDialog({
  contactIds,
  onClose,
  onDone,
}: {
  contactIds: readonly string[];
  onClose: () => void;
  onDone: (added: number) => unknown;
}) {
  const form = useForm({ contactListId: '' });
  const submit = form.submit(async ({ contactListId }) => {
    const { added } = await api.contactLists.addContacts({ contactListId, contactIds: [...contactIds] });
    onClose();
    await onDone(added);
  });
  return (
    <FormDialog
      title={`Add ${people(contactIds.length)} to a list`}
      onClose={onClose}
      onSubmit={submit}
      form={form}
      action={`Add ${people(contactIds.length)}`}
      why={form.values.value.contactListId === '' && 'Choose a list first.'}
    >
      <ChooserField
        form={form}
        name="contactListId"
        label="List"
        placeholder="Choose a list"
        hint="Segments find their people by themselves."
        things={listsWithoutSegments}
      />
    </FormDialog>
  );
}
