import { api } from '../../api.ts';
import { session } from '../../session.ts';
import { ChooserField } from '../choose/chooser.tsx';
import { senders } from '../choose/things.ts';
import { counted } from '../data/format.ts';
import { type Choice, Field, Select } from '../forms/field.tsx';
import { useForm } from '../forms/form.ts';
import { FormDialog } from '../over/form-dialog.tsx';
import { toast } from '../over/toast.tsx';
import { SkeletonLines } from '../page/notice.tsx';
import { useQuery } from '../page/query.ts';

interface Test {
  emails: string[];
  contactId?: string;
}

type Sender = { senderId: string } | { from: { email: string } };

/** Sends what is saved to a few addresses, with [Test] before the subject, and with the data that the preview has. */
export function TestDialog({
  asksSender = false,
  person,
  mails = [],
  mail = mails[0]?.value ?? '',
  send,
  onClose,
}: {
  /** A template has no sender of its own. */
  asksSender?: boolean;
  /** The address of the person whose data the preview shows; '' for none. */
  person: string;
  /** Where there are several, one is chosen; the first unless `mail` is another one. */
  mails?: readonly Choice[];
  mail?: string;
  send: (test: Test, sender: Sender, mail: string) => PromiseLike<unknown>;
  onClose: () => void;
}) {
  const form = useForm({ emails: session.value?.email ?? '', from: '', senderId: '', mail });
  const known = useQuery(async (signal) => {
    const [contacts, found] = await Promise.all([
      person ? api.contacts.findByEmail({ emails: [person] }, { signal }) : null,
      asksSender ? api.senders.list({ limit: 1 }, { signal }) : null,
    ]);
    const sender = found?.senders[0] ?? null;
    if (sender) form.set('senderId', sender.id);
    return { contact: contacts?.contacts[0] ?? null, sender };
  });
  const { contact = null, sender = null } = known.data.value ?? {};
  const submit = form.submit(async ({ emails, from, senderId, mail: chosen }) => {
    const addresses = emails.split(/[\s,;]+/).filter(Boolean);
    const test = { emails: addresses, ...(contact && { contactId: contact.id }) };
    await send(test, senderId ? { senderId } : { from: { email: from } }, chosen);
    onClose();
    toast(`The test is on its way to ${counted(addresses.length, 'address', 'addresses')}`, { kind: 'good' });
  });
  const isReady = known.data.value !== null || known.error.value !== null;
  return (
    <FormDialog
      title="Send a test"
      form={form}
      action="Send test"
      why={!isReady && 'The senders are loaded.'}
      onClose={onClose}
      onSubmit={submit}
    >
      {mails.length > 0 && <Select form={form} name="mail" label="Which mail" options={mails} />}
      <Field form={form} name="emails" label="To" autocomplete="off" hint="Up to ten addresses, with commas between." />
      {!isReady && <SkeletonLines count={1} />}
      {sender && <ChooserField form={form} name="senderId" label="From" things={senders} />}
      {asksSender && isReady && !sender && (
        <Field
          form={form}
          name="from"
          label="From"
          autocomplete="off"
          placeholder="post@news.harbour.example"
          hint="On a verified domain."
        />
      )}
      <p class="sub small">
        {contact
          ? `With the data of ${contact.email}, as the preview shows it.`
          : 'Each mail has the data of the contact with its address, if there is one.'}{' '}
        Its links to unsubscribe do nothing.
      </p>
    </FormDialog>
  );
}
