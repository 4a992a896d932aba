import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.ts';
import { hour } from '../parts/data/format.ts';
import { Button } from '../parts/forms/button.tsx';
import { Field } from '../parts/forms/field.tsx';
import { useForm } from '../parts/forms/form.ts';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/page/notice.tsx';

const LINK_MS = 15 * 60_000;

/** Asks for a link. The answer is the same for every address. */
export function SignIn() {
  const form = useForm({ email: '' });
  const sentTo = useSignal<{ email: string; until: Date } | null>(null);
  useEffect(() => {
    document.title = 'Sign in · Everpost';
  }, []);
  const send = form.submit(async ({ email }) => {
    await api.session.requestLink({ email });
    sentTo.value = { email, until: new Date(Date.now() + LINK_MS) };
  });
  const sent = sentTo.value;
  return (
    <div class="door">
      <main>
        <div class="stack">
          <span class="mark">
            <Icon name="mark" />
          </span>
          <div class="stack tight">
            <h1>Sign in to Everpost</h1>
            <p class="sub">{location.host}</p>
          </div>
        </div>
        {sent === null ? (
          <form noValidate onSubmit={send}>
            <Field form={form} name="email" label="Your address" type="email" autocomplete="email" autoFocus />
            {form.failure.value && <Notice kind="bad" title={form.failure.value} />}
            <Button kind="first" type="submit" isBusy={form.isBusy.value}>
              Send me a link
            </Button>
            <p class="dim small">No password. The link works once, for 15 minutes.</p>
          </form>
        ) : (
          <section class="stack" aria-labelledby="sent" role="status">
            <h2 id="sent">Look into your mailbox</h2>
            <p class="sub">
              If {sent.email} is a member here, a link is on its way. It works once, until {hour(sent.until)}.
            </p>
            <p class="dim small">
              Nothing there after a minute? Look among spam, or{' '}
              <button
                class="link text"
                type="button"
                onClick={() => {
                  sentTo.value = null;
                }}
              >
                use another address
              </button>
              . At most 5 links an hour.
            </p>
          </section>
        )}
      </main>
      <footer class="row dim small">
        <span class="grow">Everpost</span>
        <a href="/health/ready">Status</a>
      </footer>
    </div>
  );
}
