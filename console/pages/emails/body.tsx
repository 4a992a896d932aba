import { useSignal } from '@preact/signals';
import { api } from '../../api.ts';
import { type Look, LookChoice, MailText } from '../../parts/mail/look.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { useQuery } from '../../parts/page/query.ts';

/** The mail as its recipient got it, in a frame without scripts and without an origin, or as text. */
export function EmailBody({ emailId }: { emailId: string }) {
  const content = useQuery((signal) => api.emails.content(emailId, { signal }), [emailId]);
  const look = useSignal<Look>('html');
  return (
    <Loaded query={content}>
      {({ html, text, previewUrl }) => {
        if (previewUrl === null) return <p class="dim">Its content was removed, or it cannot be read.</p>;
        const isText = html === null || (look.value === 'text' && text !== null);
        return (
          <div class="stack tight">
            {html !== null && text !== null && <LookChoice label="Shown as" look={look} />}
            {isText ? (
              <MailText text={text?.trimEnd()} />
            ) : (
              <figure class="mail whole">
                <iframe
                  title="The mail"
                  src={new URL(previewUrl, location.origin).pathname}
                  sandbox=""
                  loading="lazy"
                />
              </figure>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}
