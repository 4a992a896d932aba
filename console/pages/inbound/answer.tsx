import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { EmailSummary } from '../../../client/index.ts';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { to } from '../../router.ts';
import { EmailBody } from '../emails/body.tsx';
import { EmailState } from '../emails/state.tsx';

/** An answer of ours: a line, and its words when it is open. */
export function Answer({ answer: { id: emailId, email, status, createdAt } }: { answer: EmailSummary }) {
  const isOpen = useSignal(false);
  const id = useId();
  return (
    <article class="letter rule" aria-labelledby={id}>
      <header>
        <h2 id={id}>Our answer</h2>
        <span class="dim cut">{email ? <bdi>to {email}</bdi> : 'deleted contact'}</span>
        <EmailState status={status} />
        <span class="grow" />
        <span class="dim small">
          <Time at={createdAt} />
        </span>
        <Button
          isSmall
          kind="plain"
          label={isOpen.value ? 'Close this answer' : 'Open this answer'}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          {isOpen.value ? 'Close' : 'Open'}
        </Button>
      </header>
      {isOpen.value && (
        <div class="stack">
          <EmailBody emailId={emailId} />
          <p>
            <a class="link" href={to('/emails', { email: emailId })}>
              What happened to it
            </a>
          </p>
        </div>
      )}
    </article>
  );
}
