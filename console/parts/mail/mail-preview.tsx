import { useSignal } from '@preact/signals';
import { type Look, LookChoice, MailText } from './look.tsx';

interface Shown {
  previewUrl: string;
  text: string;
}

/** A mail as people see it, in frames without scripts and without an origin. */
export function MailPreview({ mail, isOld }: { mail: Shown | null; isOld: boolean }) {
  const look = useSignal<Look>('html');
  if (!mail) return <p class="dim">The mail is shown here when it has content.</p>;
  // The frame is of this origin, under which name ever the console was opened.
  const path = new URL(mail.previewUrl, location.origin).pathname;
  return (
    <div class={isOld ? 'stack tight old' : 'stack tight'}>
      <LookChoice label="Preview as" look={look} />
      {look.value === 'text' ? (
        <MailText text={mail.text} />
      ) : (
        <div class="mails" tabIndex={0} role="group" aria-label="Preview">
          <Frame path={path} width={320} device="telephone" />
          <Frame path={path} width={720} device="desktop" />
        </div>
      )}
    </div>
  );
}

function Frame({ path, width, device }: { path: string; width: 320 | 720; device: string }) {
  return (
    <figure class={width === 720 ? 'mail wide' : 'mail'}>
      <figcaption>
        {width} px, {device}
      </figcaption>
      <iframe title={`Preview at ${width} px`} src={path} sandbox="" loading="lazy" />
    </figure>
  );
}
