import type { Project } from '../../base/model.ts';
import { escapeHtml } from '../../base/text/html.ts';
import { fill } from '../../base/text/languages/fill.ts';
import { type Language, textsIn } from '../../base/text/languages/index.ts';
import { lookOf } from '../../base/text/look.ts';

/** The mail with the link to a person's data. */
export function mailOfData(project: Project, language: Language, url: string) {
  const { tag, mails } = textsIn(language);
  const look = lookOf(project);
  const name = look.name ?? project.name;
  const lead = fill(mails.data, { name });
  const subject = fill(mails.dataSubject, { name });
  const lines = [
    lead,
    `${mails.dataButton}: ${url}`,
    mails.ignore,
    ...(look.postalAddress ? [look.postalAddress] : []),
  ];
  const button = `background:${look.button};color:${look.onButton};padding:12px 20px;border-radius:8px;text-decoration:none`;
  const html = `<!doctype html>
<html lang="${tag}">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="font:16px/1.5 sans-serif;color:#1c2430">
<p>${escapeHtml(lead)}</p>
<p><a href="${escapeHtml(url)}" style="display:inline-block;${button}">${escapeHtml(mails.dataButton)}</a></p>
<p>${escapeHtml(mails.ignore)}</p>
${look.postalAddress ? `<p style="color:#586274;white-space:pre-line">${escapeHtml(look.postalAddress)}</p>\n` : ''}</body>
</html>
`;
  return { subject, html, text: `${lines.join('\n\n')}\n` };
}
