import { escapeHtml } from '../../core/base/text/html.ts';
import type { Subscription } from '../../core/feedback/unsubscribes.ts';
import { Page } from '../http/endpoint.ts';
import { page, pageHeaders } from './layout.ts';

export const UNSUBSCRIBE_FIELD = 'action';

/** `done`: the action of the button that was just pressed. */
export function unsubscribePage(subscription: Subscription, done: 'unsubscribe' | 'resubscribe' | null): Page {
  const { ref, state } = subscription;
  const what = whatOf(subscription);
  const address = `<strong>${escapeHtml(masked(ref.email))}</strong>`;
  const from = `<p class="from">${escapeHtml(subscription.projectName)}</p>`;
  if (state === 'stopped')
    return made(
      'No emails are sent',
      `${from}
<h1>You do not receive these emails</h1>
<p>${what} are not sent to ${address}.</p>`,
    );
  if (state === 'undoable')
    return made(
      'You are unsubscribed',
      `${from}
<h1${done ? ' role="status"' : ''}>You are unsubscribed</h1>
<p>${what} are no longer sent to ${address}.</p>
${button('resubscribe', 'Undo: keep receiving these emails', 'quiet')}`,
    );
  const again =
    done === 'resubscribe' ? `<h1 role="status">You are subscribed again</h1>\n` : '<h1>Unsubscribe?</h1>\n';
  const lead =
    done === 'resubscribe'
      ? `<p>${what} are sent to ${address} again.</p>`
      : `<p>${what} will no longer be sent to ${address}.</p>`;
  return made(
    done === 'resubscribe' ? 'You are subscribed again' : 'Unsubscribe',
    `${from}
${again}${lead}
${button('unsubscribe', 'Unsubscribe', done === 'resubscribe' ? 'quiet' : '')}
${done ? '' : '<p class="note">Nothing changes until you press the button.</p>'}`,
  );
}

function made(title: string, body: string): Page {
  return new Page(200, pageHeaders, page(title, body));
}

/** The group is called by its name, since the person may want to stay in others. */
function whatOf({ projectName, groupName }: Subscription): string {
  return groupName === null
    ? `Newsletters and offers of ${escapeHtml(projectName)}`
    : `Emails of the group “${escapeHtml(groupName)}” of ${escapeHtml(projectName)}`;
}

/** Posts to the URL of the page itself. */
function button(action: string, label: string, look: string): string {
  return `<form method="post" action="">
<button type="submit" name="${UNSUBSCRIBE_FIELD}" value="${action}"${look ? ` class="${look}"` : ''}>${label}</button>
</form>`;
}

/** Enough to recognize one's own address, too little to reveal it to people who got the mail forwarded. */
function masked(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, Math.min(2, at))}•••${email.slice(at)}`;
}
