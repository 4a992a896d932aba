import { type Signal, useSignal } from '@preact/signals';
import { Choose } from '../parts/forms/choices.tsx';
import { sentenceOf } from '../parts/forms/form.ts';
import { MailPreview } from '../parts/mail/mail-preview.tsx';
import { PersonSearch } from '../parts/mail/person-search.tsx';
import { Notice } from '../parts/page/notice.tsx';
import type { CompiledMail } from './use-mail.ts';

/** The mail as the server makes it, on a telephone and on a desk, in light and dark, as text, for a person. */
export function Preview({ compiled, person }: { compiled: CompiledMail; person: Signal<string> }) {
  const isDark = useSignal(false);
  const mail = compiled.mail.value;
  const failed = compiled.error.value;
  return (
    <div class={isDark.value ? 'stack dark-mail' : 'stack'}>
      <div class="row wrap">
        <PersonSearch person={person} />
        <Choose
          label="Light or dark"
          value={isDark.value ? 'dark' : 'light'}
          options={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          onChange={(value) => {
            isDark.value = value === 'dark';
          }}
        />
      </div>
      {mail && <p class="sub">Subject: {mail.subject || 'none'}</p>}
      {failed !== null && (
        <Notice kind="warn" title="The preview is older than what you wrote">
          {sentenceOf(failed)}
        </Notice>
      )}
      <MailPreview mail={mail} isOld={compiled.isOld.value} />
    </div>
  );
}
