import { escapeHtml } from '../../core/base/text/html.ts';
import { type Texts, textsIn } from '../../core/base/text/languages/index.ts';
import { lookOf } from '../../core/base/text/look.ts';
import type { FormField } from '../../core/forms/model.ts';
import type { Fault } from '../../core/forms/read-values.ts';
import type { ShownForm } from '../../core/forms/shown-form.ts';
import { EMAIL_INPUT, HONEYPOT_INPUT, STAMP_INPUT } from '../../schemas/forms.ts';
import { Page } from '../http/endpoint.ts';
import { inputHtml } from '../present/forms.ts';
import { page } from './layout.ts';

/** The page as it was sent, to be corrected. */
interface Typed {
  status: 400;
  values: ReadonlyMap<string, string>;
  faults: readonly Fault[];
  /** Above the form. */
  notice: string | null;
}

/** `stamp`: of now, or the one that was sent, so that a person who corrects a field need not wait. */
export function formPage(shown: ShownForm, stamp: string, typed?: Typed): Page {
  const texts = textsIn(shown.language);
  const { form, words } = shown;
  const notice = typed?.notice ? `<p class="error" role="alert">${escapeHtml(typed.notice)}</p>\n` : '';
  const intro = words.intro === '' ? '' : `${paragraphs(words.intro)}\n`;
  const inputs = [emailInput(texts, typed), ...form.fields.map((field) => fieldInput(field, texts, typed))];
  const body = `<h1>${escapeHtml(words.title)}</h1>
${intro}${notice}<form method="post" action="" novalidate>
<input type="hidden" name="${STAMP_INPUT}" value="${escapeHtml(stamp)}">
${inputs.join('\n')}
<div class="trap" aria-hidden="true"><label>${escapeHtml(texts.form.trap)}<input name="${HONEYPOT_INPUT}" tabindex="-1" autocomplete="off"></label></div>
${paragraphs(words.consent)}
<button type="submit">${escapeHtml(words.button)}</button>
</form>`;
  return framed(shown, typed?.status ?? 200, words.title, body);
}

/** The same for every address. */
export function submittedPage(shown: ShownForm): Page {
  const { form, words, language } = shown;
  const { submitted } = form.redirectTo;
  const texts = textsIn(language);
  const title = form.doubleOptIn ? texts.form.checkHeading : texts.form.receivedHeading;
  const body = `<h1>${escapeHtml(title)}</h1>\n<div role="status">${paragraphs(words.submitted)}</div>`;
  const { status, headers, content } = framed(shown, 200, title, body);
  return submitted === null
    ? new Page(status, headers, content)
    : new Page(303, { ...headers, Location: submitted }, null);
}

/** For people whose form was not taken: too many came from their network, or it came from a site that may not send it. */
export function refusedPage(shown: ShownForm, status: 403 | 429, headers: Record<string, string> = {}): Page {
  const { busy, foreign } = textsIn(shown.language).form;
  const { title } = shown.words;
  const body = `<h1>${escapeHtml(title)}</h1>\n<p role="alert">${escapeHtml(status === 429 ? busy : foreign)}</p>`;
  return framed(shown, status, title, body, headers);
}

function framed(
  { form, project, language }: ShownForm,
  status: number,
  title: string,
  body: string,
  headers: Record<string, string> = {},
): Page {
  const { submitted } = form.redirectTo;
  return page({
    ...{ status, texts: textsIn(language), look: lookOf(project), title, body, headers },
    frameAncestors: form.allowedOrigins,
    formTargets: submitted === null ? [] : [new URL(submitted).origin],
  });
}

function emailInput(texts: Texts, typed?: Typed): string {
  const value = escapeHtml(typed?.values.get(EMAIL_INPUT) ?? '');
  const { attributes, message } = faultOf(EMAIL_INPUT, texts, typed);
  return `<div class="field"><label for="in-${EMAIL_INPUT}">${escapeHtml(texts.form.email)}</label>
<input type="email" id="in-${EMAIL_INPUT}" name="${EMAIL_INPUT}" value="${value}" autocomplete="email" required${attributes}>${message}</div>`;
}

function fieldInput(field: FormField, texts: Texts, typed?: Typed): string {
  const { attributes, message } = faultOf(field.name, texts, typed);
  // A checkbox that was not ticked is missing in what was sent.
  const value = typed && (typed.values.get(field.name) ?? '');
  const input = inputHtml(field, { typed: value, attributes: ` id="in-${field.name}"${attributes}` });
  const note = field.required ? ` (${escapeHtml(texts.form.required)})` : '';
  const label = `${escapeHtml(field.label)}${note}`;
  if (field.type === 'checkbox') return `<label class="check">${input}<span>${label}${message}</span></label>`;
  return `<div class="field"><label for="in-${field.name}">${label}</label>\n${input}${message}</div>`;
}

function faultOf(name: string, texts: Texts, typed?: Typed): { attributes: string; message: string } {
  const fault = typed?.faults.find(({ field }) => field === name);
  if (!fault) return { attributes: '', message: '' };
  const id = `wrong-${name}`;
  return {
    attributes: ` aria-invalid="true" aria-describedby="${id}"`,
    message: `\n<span class="error" id="${id}">${escapeHtml(texts.form.wrong[fault.kind])}</span>`,
  };
}

/** Lines are kept. */
function paragraphs(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .map((line) => `<p>${escapeHtml(line)}</p>`)
    .join('\n');
}
