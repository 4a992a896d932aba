import { maskEmail } from '../../core/base/text/addresses.ts';
import { escapeHtml } from '../../core/base/text/html.ts';
import { fill, fillHtml } from '../../core/base/text/languages/fill.ts';
import { type Texts, textsIn } from '../../core/base/text/languages/index.ts';
import { lookOf } from '../../core/base/text/look.ts';
import type { ShownSubscription } from '../../core/mail/feedback/unsubscribes.ts';
import type { Page } from '../http/endpoint.ts';
import { page } from './layout.ts';

export const UNSUBSCRIBE_FIELD = 'action';

type Action = 'unsubscribe' | 'resubscribe';

/** `done`: the action of the button that was just pressed. */
export function unsubscribePage(subscription: ShownSubscription, done: Action | null, token: string): Page {
  const texts = textsIn(subscription.language);
  const { title, body } = partsOf(subscription, texts, done);
  const preferences = `<p class="note"><a href="../p/${escapeHtml(token)}">${escapeHtml(texts.preferences.choose)}</a></p>`;
  return page({ texts, look: lookOf(subscription.project), title, body: `${body}\n${preferences}` });
}

function partsOf(subscription: ShownSubscription, texts: Texts, done: Action | null): { title: string; body: string } {
  const words = texts.unsubscribe;
  const said = (sentence: string) => sentenceOf(sentence, subscription, texts);
  if (subscription.state === 'stopped')
    return { title: words.stoppedTitle, body: `${heading(words.stoppedHeading)}\n${said(words.stopped)}` };
  if (subscription.state === 'undoable')
    return {
      title: words.leftHeading,
      body: `${heading(words.leftHeading)}\n${said(words.left)}\n${button('resubscribe', words.undo, 'quiet')}`,
    };
  if (done === 'resubscribe')
    return {
      title: words.backHeading,
      body: `${heading(words.backHeading)}\n${said(words.back)}\n${button('unsubscribe', words.button, 'quiet')}`,
    };
  return {
    title: words.title,
    body: `${heading(words.heading)}\n${said(words.ask)}\n${button('unsubscribe', words.button)}
<p class="note">${escapeHtml(texts.layout.nothingChanges)}</p>`,
  };
}

/** The group is called by its name, since the person may want to stay in others. */
function sentenceOf(sentence: string, { project, groupName, ref }: ShownSubscription, texts: Texts): string {
  const name = project.publicName ?? project.name;
  const { offers, groupEmails } = texts.unsubscribe;
  const emails = groupName === null ? fill(offers, { name }) : fill(groupEmails, { name, group: groupName });
  const address = { html: `<strong>${escapeHtml(maskEmail(ref.email))}</strong>` };
  return `<p>${fillHtml(sentence, { emails, address })}</p>`;
}

function heading(text: string): string {
  return `<h1>${escapeHtml(text)}</h1>`;
}

/** Posts to the URL of the page itself. */
function button(action: Action, label: string, look?: 'quiet'): string {
  return `<form method="post" action="">
<button type="submit" name="${UNSUBSCRIBE_FIELD}" value="${action}"${look ? ` class="${look}"` : ''}>${escapeHtml(label)}</button>
</form>`;
}
