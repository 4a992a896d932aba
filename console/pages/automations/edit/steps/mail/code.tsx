import { computed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { PreviewDraftBody } from '../../../../../../client/index.ts';
import type { Form } from '../../../../../parts/forms/form.ts';
import { UploadButton } from '../../../../../parts/forms/upload-button.tsx';
import { CodeEditor } from '../../../../../parts/mail/code-editor.tsx';
import { MailFrame } from '../../../../../parts/mail/mail-preview.tsx';
import { PersonSearch } from '../../../../../parts/mail/person-search.tsx';
import { useDraftPreview } from '../../../../../parts/mail/use-preview.ts';
import type { Values } from './values.ts';

/** Its code with what is wrong at its line, and the mail that it makes. */
export function Code({ form, why }: { form: Form<Values>; why: string | null }) {
  const insert = useRef<((text: string) => void) | null>(null);
  const person = useSignal('');
  const draft = useMemo(
    () =>
      computed<PreviewDraftBody>(() => {
        const values = form.values.value;
        return {
          emailTemplate: values['email/htmlTemplate'],
          subject: values['email/subject'],
          previewText: values['email/previewText'],
          ...(person.value && { email: person.value }),
        };
      }),
    [form, person],
  );
  const preview = useDraftPreview(draft);
  useEffect(() => form.mount('email/htmlTemplate'), [form]);
  const faults = preview.faults.value;
  const mail = preview.mail.value;
  const refusal = form.errors.value['email/htmlTemplate'];
  return (
    <>
      <div class="row">
        <span class="label grow">Mail</span>
        {why === null && (
          <UploadButton
            label="Insert a picture"
            next="describe it in alt"
            onUploaded={({ url, width, height }) =>
              insert.current?.(`<img src="${url}" width="${width}" height="${height}" alt="">`)
            }
          />
        )}
      </div>
      {(refusal ?? faults[0]) && (
        <p class="hint t-bad">{refusal ?? `line ${faults[0]?.line}: ${faults[0]?.message}`}</p>
      )}
      <CodeEditor
        label="HTML of the mail"
        value={form.values.value['email/htmlTemplate']}
        faults={faults}
        isReadOnly={why !== null}
        onChange={(text) => {
          if (text !== form.values.peek()['email/htmlTemplate']) form.set('email/htmlTemplate', text);
        }}
        onReady={(put) => {
          insert.current = put;
        }}
      />
      <PersonSearch person={person} />
      <div class={preview.isOld.value ? 'old one-mail' : 'one-mail'}>
        <MailFrame mail={mail} caption={mail ? `Subject: ${mail.subject}` : 'Preview'} title="Preview of the mail" />
      </div>
    </>
  );
}
