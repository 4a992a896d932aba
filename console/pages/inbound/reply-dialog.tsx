import type { InboundMessage } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Field, FieldFrame, TextArea } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { useWarningBeforeLeaving } from '../../parts/forms/leaving.ts';
import { confirm } from '../../parts/over/confirm.tsx';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { navigate, to } from '../../router.ts';

interface Reply {
  'from/email': string;
  'from/name': string;
  subject: string;
  cc: string;
  text: string;
  attachments: readonly File[];
}

/** An answer within the conversation, from the address that the mail was written to. */
export function ReplyDialog({
  mail,
  onDone,
  onClose,
}: {
  mail: InboundMessage;
  onDone: () => unknown;
  onClose: () => void;
}) {
  const form = useForm<Reply>({
    ...{ 'from/email': addressOf(mail), 'from/name': '', subject: '', cc: '', text: '' },
    attachments: [],
  });
  useWarningBeforeLeaving(form);
  const [target = mail.from] = mail.replyTo ?? [];
  const submit = form.submit(async (values) => {
    const name = values['from/name'].trim();
    const cc = values.cc.split(/[\s,;]+/).filter(Boolean);
    const { emailId } = await api.inbound.reply(mail.id, {
      from: { email: values['from/email'].trim(), ...(name && { name }) },
      ...(values.subject.trim() && { subject: values.subject.trim() }),
      ...(cc.length > 0 && { cc: cc.map((email) => ({ email })) }),
      text: values.text,
      ...(values.attachments.length > 0 && { attachments: await Promise.all(values.attachments.map(attachmentOf)) }),
    });
    onClose();
    const open = { label: 'Show it', run: () => navigate(to('/emails', { email: emailId })) };
    toast('The reply is on its way', { kind: 'good', action: open });
    await onDone();
  });
  const close = () => (form.isChanged.peek() ? askBefore(onClose) : onClose());
  return (
    <FormDialog
      title="Reply"
      isWide
      onClose={close}
      onSubmit={submit}
      form={form}
      action="Send reply"
      why={form.values.value.text.trim() === '' && 'Write the answer first.'}
    >
      <p class="letter-to">
        To{' '}
        <span class="strong">
          <bdi>{target.name ? `${target.name} <${target.email}>` : target.email}</bdi>
        </span>
      </p>
      <div class="two">
        <Field form={form} name="from/email" label="From" autocomplete="off" hint={`On ${mail.domainName}.`} />
        <Field form={form} name="from/name" label="Name of the sender" autocomplete="off" />
      </div>
      <Field
        form={form}
        name="subject"
        label="Subject"
        autocomplete="off"
        hint="Empty: the same one, with Re: in front."
      />
      <Field form={form} name="cc" label="Copies to" autocomplete="off" hint="Addresses with commas between them." />
      <TextArea form={form} name="text" label="Answer" rows={10} />
      <FieldFrame form={form} name="attachments" label="Files" hint="20 at most, of 40 MB together.">
        {({ id, describedBy, error }) => (
          <input
            id={id}
            class="in"
            type="file"
            name="attachments"
            multiple
            aria-invalid={error ? true : undefined}
            aria-describedby={describedBy}
            onChange={(event) => form.set('attachments', [...(event.currentTarget.files ?? [])])}
          />
        )}
      </FieldFrame>
    </FormDialog>
  );
}

function askBefore(discard: () => void) {
  void confirm({
    title: 'Discard the reply',
    text: 'What you wrote is gone then.',
    action: 'Discard it',
    isDangerous: true,
    run: discard,
  });
}

/** That of our domain to which the person wrote. */
function addressOf({ to, cc = [], domainName }: InboundMessage): string {
  const own = [...to, ...cc].find(({ email }) => email.endsWith(`@${domainName}`));
  return own?.email ?? `post@${domainName}`;
}

async function attachmentOf(file: File): Promise<{ fileName: string; content: string; contentType?: string }> {
  return { fileName: file.name, content: await base64Of(file), ...(file.type && { contentType: file.type }) };
}

/** A data URL has it behind its comma. */
function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
