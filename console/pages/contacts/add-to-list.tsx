import type { ContactList } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { people } from '../../parts/data/format.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Select } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { to } from '../../router.ts';

export function AddToListDialog({
  contactIds,
  lists,
  onClose,
  onDone,
}: {
  contactIds: readonly string[];
  lists: readonly ContactList[];
  onClose: () => void;
  onDone: (added: number) => unknown;
}) {
  const own = lists.filter(({ id, type }) => type === 'list' && id !== 'GLOBAL_CONTACT_LIST');
  const form = useForm({ contactListId: own[0]?.id ?? '' });
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
      why={own.length === 0 && 'There is no list yet.'}
    >
      {own.length === 0 ? (
        <Empty title="No list yet" action={<Button href={to('/lists')}>Lists and segments</Button>}>
          Make a list first. Segments find their members by themselves.
        </Empty>
      ) : (
        <Select
          form={form}
          name="contactListId"
          label="List"
          options={own.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
    </FormDialog>
  );
}
