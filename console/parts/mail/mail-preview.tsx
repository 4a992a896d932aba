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
  const path = pathOf(mail);
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

/** A new frame for each mail: a frame that moves to another one is a step of the Back button. */
function Mail({ path, title }: { path: string; title: string }) {
  return <iframe key={path} title={title} src={path} sandbox="" loading="lazy" />;
}

/** One mail in a frame as wide as its place, next to another one. */
export function MailFrame({ mail, caption, title }: { mail: Shown | null; caption: string; title: string }) {
  return (
    <figure class="mail">
      <figcaption>{caption}</figcaption>
      {mail && <Mail path={pathOf(mail)} title={title} />}
    </figure>
  );
}

/** The frame is of this origin, under which name ever the console was opened. */
function pathOf({ previewUrl }: Shown): string {
  return new URL(previewUrl, location.origin).pathname;
}

function Frame({ path, width, device }: { path: string; width: 320 | 720; device: string }) {
  return (
    <figure class={width === 720 ? 'mail wide' : 'mail'}>
      <figcaption>
        {width} px, {device}
      </figcaption>
      <Mail path={path} title={`Preview at ${width} px`} />
    </figure>
  );
}
