import { useSignal } from '@preact/signals';
import type { InboundMessage } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Button } from '../../parts/forms/button.tsx';
import { type Look, LookChoice, MailText } from '../../parts/mail/look.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { useQuery } from '../../parts/page/query.ts';

/** The words of the person, as HTML in a frame of no origin or as text. */
export function LetterBody({ mail }: { mail: InboundMessage }) {
  const { html = null, text = null } = mail;
  const look = useSignal<Look>(html === null ? 'text' : 'html');
  if (html === null && text === null) return <p class="dim">The mail has no text.</p>;
  return (
    <div class="stack tight">
      {html !== null && text !== null && <LookChoice label="Shown as" look={look} />}
      {look.value === 'html' && html !== null ? (
        <Html mailId={mail.id} html={html} />
      ) : (
        <MailText text={text?.trimEnd()} />
      )}
    </div>
  );
}

/** Pictures of other servers load on request alone, since their servers learn from it that the mail was read. */
function Html({ mailId, html }: { mailId: string; html: string }) {
  const pictures = useSignal(false);
  const preview = useQuery(
    (signal) => api.inbound.preview(mailId, { pictures: pictures.value }, { signal }),
    [mailId, pictures.value],
  );
  return (
    <>
      {!pictures.value && mayHavePictures(html) && (
        <div class="row wrap">
          <span class="dim small">Pictures of other servers are not loaded: they say that the mail was read.</span>
          <Button
            isSmall
            onClick={() => {
              pictures.value = true;
            }}
          >
            Load pictures
          </Button>
        </div>
      )}
      <Loaded query={preview}>
        {({ previewUrl }) => (
          <figure class="mail whole">
            <iframe title="The mail" src={new URL(previewUrl, location.origin).pathname} sandbox="" loading="lazy" />
          </figure>
        )}
      </Loaded>
    </>
  );
}

function mayHavePictures(html: string): boolean {
  return /<(img|image|picture)\b|background|url\(/i.test(html) && /https?:\/\/|["'(=]\/\//i.test(html);
}
