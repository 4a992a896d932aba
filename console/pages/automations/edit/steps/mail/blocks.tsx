import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { Content } from '../../../../../../schemas/templates/block-types.ts';
import { MailDialog } from '../../../../../mail-editor/dialog.tsx';
import type { TextField } from '../../../../../mail-editor/lazy.tsx';
import type { Draft } from '../../../../../mail-editor/use-mail.ts';
import { Button } from '../../../../../parts/forms/button.tsx';
import { sentenceOf } from '../../../../../parts/forms/form.ts';
import { MailFrame } from '../../../../../parts/mail/mail-preview.tsx';
import { PersonSearch } from '../../../../../parts/mail/person-search.tsx';
import { htmlOfBlocks, previewBlocks } from '../../../../../parts/mail/use-preview.ts';
import { confirm } from '../../../../../parts/over/confirm.tsx';
import { Menu } from '../../../../../parts/over/menu.tsx';
import { usePreview } from '../../../../../parts/page/preview.ts';

const texts: readonly TextField[] = [
  { name: 'subject', label: 'Subject' },
  { name: 'previewText', label: 'Preview text', hint: 'Shown behind the subject in a list of mails.' },
];

interface Props {
  content: Content;
  subject: string;
  previewText: string;
  errors: Record<string, string>;
  why: string | null;
  /** Before what is one act: the mail is opened, or becomes code. */
  onBegin: () => void;
  onWrite: (draft: Draft) => void;
  onCode: (html: string) => void;
}

/** A mail of content blocks as it looks, which is opened to be written in. */
export function Blocks({ content, subject, previewText, errors, why, onBegin, onWrite, onCode }: Props) {
  const isOpen = useSignal(false);
  const person = useSignal('');
  const draft = useSignal({ content, subject, previewText, email: '' });
  useLayoutEffect(() => {
    draft.value = { content, subject, previewText, email: person.value };
  }, [content, subject, previewText, person.value]);
  const preview = usePreview(draft, ({ email, ...mail }, signal) =>
    previewBlocks({ ...mail, templateType: 'marketing', ...(email && { email }) }, signal),
  );
  const mail = preview.answer.value?.mail ?? null;
  const refused = Object.entries(errors).filter(([field]) => field.startsWith('email/content'));
  const toCode = () =>
    confirm({
      title: 'Edit as code',
      text: 'Once its HTML is changed, the mail stays HTML. Undo brings the blocks back, until the page is left.',
      action: 'Make it code',
      run: async () => {
        const html = await htmlOfBlocks(content);
        onBegin();
        onCode(html);
      },
    });
  return (
    <>
      <div class="row">
        <span class="label grow">Mail</span>
        {why === null && (
          <>
            <Button
              isSmall
              icon="edit"
              onClick={() => {
                onBegin();
                isOpen.value = true;
              }}
            >
              Write the mail
            </Button>
            <Menu
              label="More for this mail"
              isSmall
              items={[{ label: 'Edit as code…', icon: 'edit', onPick: () => void toCode() }]}
            />
          </>
        )}
      </div>
      {refused.map(([field, text]) => (
        <p key={field} class="hint t-bad">
          {text}
        </p>
      ))}
      {preview.error.value !== null && refused.length === 0 && (
        <p class="hint t-bad">{sentenceOf(preview.error.value)}</p>
      )}
      <PersonSearch person={person} />
      <div class={preview.isOld.value ? 'old one-mail' : 'one-mail'}>
        <MailFrame mail={mail} caption={mail ? `Subject: ${mail.subject}` : 'Preview'} title="Preview of the mail" />
      </div>
      {isOpen.value && (
        <MailDialog
          title={subject || 'Mail'}
          begun={{ content, about: { subject, previewText } }}
          {...{ texts, person, onWrite }}
          isMarketing
          isMailFirst
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </>
  );
}
