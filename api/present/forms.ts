import type { Project } from '../../core/base/model.ts';
import { escapeHtml } from '../../core/base/text/html.ts';
import { DEFAULT_LANGUAGE, textsIn } from '../../core/base/text/languages/index.ts';
import type { Form, FormField } from '../../core/forms/model.ts';
import { wordsOf } from '../../core/forms/shown-form.ts';
import type { Config } from '../../schemas/config.ts';
import { EMAIL_INPUT, FORM_TEXTS, HONEYPOT_INPUT } from '../../schemas/forms.ts';

type Addresses = Pick<Config, 'publicUrl'>;

export function presentForm(form: Form, project: Project, config: Addresses) {
  const { _id, name, listIds, fields, doubleOptIn, texts, redirectTo, allowedOrigins } = form;
  const { confirmationTemplateId, unsubscribeGroupIds, isActive, createdAt, updatedAt } = form;
  const url = `${config.publicUrl}/f/${_id.toHexString()}`;
  return {
    id: _id,
    name,
    listIds,
    fields,
    doubleOptIn,
    texts: Object.fromEntries(FORM_TEXTS.map((text) => [text, texts[text] ?? null])),
    redirectTo,
    allowedOrigins,
    confirmationTemplateId,
    unsubscribeGroupIds,
    isActive,
    url,
    embed: { html: formHtml(form, wordsOf(form, project, DEFAULT_LANGUAGE), url), iframe: frameHtml(form, url) },
    createdAt,
    updatedAt,
  };
}

function frameHtml({ name }: Form, url: string): string {
  return `<iframe src="${escapeHtml(url)}" title="${escapeHtml(name)}" style="width:100%;height:36rem;border:0"></iframe>`;
}

/** Plain, for the style of the page that it is put in. Its language is fixed, so that the consent that is kept is the one that it shows. */
function formHtml({ fields }: Form, words: ReturnType<typeof wordsOf>, url: string): string {
  const { email, trap } = textsIn(DEFAULT_LANGUAGE).form;
  const lines = [
    `<form method="post" action="${escapeHtml(url)}?lang=${DEFAULT_LANGUAGE}">`,
    `<p><label>${escapeHtml(email)}<br><input type="email" name="${EMAIL_INPUT}" autocomplete="email" required></label></p>`,
    ...fields.map((field) => `<p>${labelled(field)}</p>`),
    `<p style="position:absolute;left:-9999px" aria-hidden="true"><label>${escapeHtml(trap)}<input name="${HONEYPOT_INPUT}" tabindex="-1" autocomplete="off"></label></p>`,
    `<p>${escapeHtml(words.consent)}</p>`,
    `<p><button type="submit">${escapeHtml(words.button)}</button></p>`,
    '</form>',
  ];
  return `${lines.join('\n')}\n`;
}

function labelled(field: FormField): string {
  const input = inputHtml(field);
  const label = escapeHtml(field.label);
  return field.type === 'checkbox' ? `<label>${input} ${label}</label>` : `<label>${label}<br>${input}</label>`;
}

/** The control of a field, with the value that it holds to begin with, or the value that was typed. */
export function inputHtml(
  { name, type, options, required, default: initial }: FormField,
  { typed, attributes = '' }: { typed?: string | undefined; attributes?: string } = {},
): string {
  const value = typed ?? (initial === null ? '' : String(initial));
  const more = `${required ? ' required' : ''}${attributes}`;
  if (type === 'checkbox')
    return `<input type="checkbox" name="${name}" value="true"${value === 'true' ? ' checked' : ''}${more}>`;
  if (type === 'select') {
    const choices = ['', ...(options ?? [])].map(
      (option) =>
        `<option value="${escapeHtml(option)}"${option === value ? ' selected' : ''}>${escapeHtml(option)}</option>`,
    );
    return `<select name="${name}"${more}>${choices.join('')}</select>`;
  }
  const step = type === 'number' ? ' step="any"' : '';
  return `<input type="${type}" name="${name}" value="${escapeHtml(value)}"${step}${more}>`;
}
