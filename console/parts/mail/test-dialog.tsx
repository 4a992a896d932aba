import { session } from '../../session.ts';
import { counted } from '../data/format.ts';
import { Field } from '../forms/field.tsx';
import { useForm } from '../forms/form.ts';
import { FormDialog } from '../over/form-dialog.tsx';
import { toast } from '../over/toast.tsx';

/** Sends what is saved to a few addresses, with [Test] before the subject. */
export function TestDialog({
  asksSender = false,
  send,
  onClose,
}: {
  /** A template has no sender of its own. */
  asksSender?: boolean;
  send: (emails: string[], sender: string) => PromiseLike<unknown>;
  onClose: () => void;
}) {
  const form = useForm({ emails: session.value?.email ?? '', from: '' });
  const submit = form.submit(async ({ emails, from }) => {
    const addresses = emails.split(/[\s,;]+/).filter(Boolean);
    await send(addresses, from);
    onClose();
    toast(`The test is on its way to ${counted(addresses.length, 'address', 'addresses')}`, { kind: 'good' });
  });
  return (
    <FormDialog title="Send a test" form={form} action="Send test" onClose={onClose} onSubmit={submit}>
      <Field form={form} name="emails" label="To" autocomplete="off" hint="Up to ten addresses, with commas between." />
      {asksSender && (
        <Field
          form={form}
          name="from"
          label="From"
          autocomplete="off"
          placeholder="post@news.harbour.example"
          hint="On a verified domain."
        />
      )}
    </FormDialog>
  );
}
