import { maskEmail } from '../../core/base/text/addresses.ts';
import { escapeHtml } from '../../core/base/text/html.ts';
import { fillHtml } from '../../core/base/text/languages/fill.ts';
import { textsIn } from '../../core/base/text/languages/index.ts';
import { lookOf } from '../../core/base/text/look.ts';
import type { Pressed, ShownPending } from '../../core/forms/confirm.ts';
import { wordsOf } from '../../core/forms/shown-form.ts';
import { SHOWN_INPUT } from '../../schemas/forms.ts';
import { Page } from '../http/endpoint.ts';
import { page } from './layout.ts';

/** The page that the link opens: looking at it changes nothing. The button posts to the URL of the page itself, with what it showed. */
export function confirmPage(shown: ShownPending, isChanged = false): Page {
  const { project, form, language, state } = shown;
  const texts = textsIn(language);
  const look = lookOf(project);
  const name = look.name ?? '';
  if (state.kind === 'confirmed') {
    const done = wordsOf(form ?? { texts: {}, doubleOptIn: true }, project, language).confirmed;
    const title = texts.confirm.doneHeading;
    const body = `<h1>${escapeHtml(title)}</h1>\n<p role="status">${escapeHtml(done)}</p>`;
    return page({ texts, look, title, body });
  }
  const { heading, ask, button } = texts.confirm;
  const address = { html: `<strong>${escapeHtml(maskEmail(state.email))}</strong>` };
  const agreed = [...new Set(state.agreements.map(({ consent }) => consent))];
  const values = state.values.map(({ label, value }) => `<li>${escapeHtml(`${label}: ${value}`)}</li>`);
  const target = form?.redirectTo.confirmed;
  const body = `<h1>${escapeHtml(heading)}</h1>
${isChanged ? `<p class="error" role="alert">${escapeHtml(texts.form.changed)}</p>\n` : ''}<p>${fillHtml(ask, { name, address })}</p>
${agreed.map((consent) => `<p>${escapeHtml(consent)}</p>`).join('\n')}
${values.length === 0 ? '' : `<ul>\n${values.join('\n')}\n</ul>\n`}<form method="post" action="">
<input type="hidden" name="${SHOWN_INPUT}" value="${state.pending.revision}">
<button type="submit">${escapeHtml(button)}</button>
</form>
<p class="note">${escapeHtml(texts.layout.nothingChanges)}</p>`;
  const formTargets = target ? [new URL(target).origin] : [];
  return page({ ...(isChanged ? { status: 409 } : {}), texts, look, title: heading, body, formTargets });
}

/** After the button: the site that the form names, or the page. */
export function pressedPage({ shown, isChanged }: Pressed): Page {
  if (isChanged) return confirmPage(shown, true);
  const { status, headers, content } = confirmPage(shown);
  const target = shown.form?.redirectTo.confirmed;
  return target ? new Page(303, { ...headers, Location: target }, null) : new Page(status, headers, content);
}
