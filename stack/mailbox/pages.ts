import { escapeHtml } from '../../core/base/text/html.ts';
import type { Attachment, Mail, Person } from './mail.ts';

const views = ['html', 'text', 'headers', 'source'] as const;
export type View = (typeof views)[number];

const labels: Record<View, string> = { html: 'HTML', text: 'Text', headers: 'Headers', source: 'Source' };
const previewCharsMax = 120;

export function isView(part: string | undefined): part is View {
  return views.includes(part as View);
}

/** The whole page: the list, and next to it one mail in one view. All that comes from a mail is escaped. */
export function mailPage(mails: readonly Mail[], open: Mail | null, view: View, source = ''): string {
  const title = open ? `${open.subject || '(no subject)'} · Mailbox` : 'Mailbox';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
<script src="/script.js" defer></script>
</head>
<body class="${open ? 'reading' : 'listing'}">
<header class="bar">
<h1><a href="/">Mailbox</a></h1>
<p>Everpost catches every mail here and passes none on.</p>
<form method="post" action="/clear"><button type="submit">Delete all</button></form>
</header>
<main>
<nav id="list" aria-label="Mails" data-open="${escapeHtml(open?.id ?? '')}">${listFragment(mails, open?.id ?? null)}</nav>
<article>${open ? mailArticle(open, view, source) : '<p class="nothing">Choose a mail to read it.</p>'}</article>
</main>
</body>
</html>`;
}

export function listFragment(mails: readonly Mail[], open: string | null): string {
  if (mails.length === 0) return '<p class="nothing">No mail yet. What is sent shows here at once.</p>';
  const rows = mails.map((mail) => listRow(mail, mail.id === open)).join('\n');
  return `<p class="count">${mails.length} ${mails.length === 1 ? 'mail' : 'mails'}, newest first</p>\n<ol>\n${rows}\n</ol>`;
}

function listRow(mail: Mail, isOpen: boolean): string {
  const preview = (mail.text ?? '').replace(/\s+/g, ' ').trim().slice(0, previewCharsMax);
  return `<li${isOpen ? ' aria-current="true"' : ''}><a href="/mail/${mail.id}">
<span class="who">${escapeHtml(mail.envelope.to.join(', '))}</span>${clock(mail.receivedAt)}
<span class="subject">${escapeHtml(mail.subject || '(no subject)')}</span>
<span class="preview">${escapeHtml(preview)}${mail.attachments.length > 0 ? ` <em>${mail.attachments.length} attached</em>` : ''}</span>
</a></li>`;
}

function mailArticle(mail: Mail, view: View, source: string): string {
  const tabs = views.map(
    (name) => `<a href="/mail/${mail.id}/${name}"${name === view ? ' aria-current="page"' : ''}>${labels[name]}</a>`,
  );
  return `<a class="back" href="/">All mails</a>
<h2>${escapeHtml(mail.subject || '(no subject)')}</h2>
<dl>
${row('From', mail.from ? person(mail.from) : escapeHtml(mail.envelope.from))}
${row('To', mail.to.map(person).join(', '))}
${mail.cc.length > 0 ? row('Cc', mail.cc.map(person).join(', ')) : ''}
${mail.replyTo.length > 0 ? row('Reply to', mail.replyTo.map(person).join(', ')) : ''}
${row('Handed in', `${clock(mail.receivedAt)} from ${escapeHtml(mail.envelope.from || '<>')} for ${escapeHtml(mail.envelope.to.join(', '))}`)}
</dl>
${mail.attachments.length > 0 ? `<ul class="attachments">${mail.attachments.map(attachmentLink).join('')}</ul>` : ''}
<p class="tabs">${tabs.join('')}</p>
${viewOf(mail, view, source)}`;
}

function viewOf(mail: Mail, view: View, source: string): string {
  if (view === 'source') return `<pre>${escapeHtml(source)}</pre>`;
  if (view === 'text')
    return mail.text
      ? `<pre class="text">${escapeHtml(mail.text)}</pre>`
      : '<p class="nothing">It has no text part.</p>';
  if (view === 'headers') {
    const rows = Object.entries(mail.headers).flatMap(([name, values]) =>
      [values].flat().map((value) => `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`),
    );
    return `<table>${rows.join('')}</table>`;
  }
  if (!mail.html)
    return `<p class="nothing">It has no HTML part.</p>${mail.text ? `<pre class="text">${escapeHtml(mail.text)}</pre>` : ''}`;
  return `<iframe title="The mail" src="/email/${mail.id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`;
}

/** The mail's own HTML for the sandboxed frame: links open in a tab of their own, inline images come from its attachments. */
export async function htmlOf(mail: Mail, contentOf: (index: number) => Promise<Buffer | undefined>): Promise<string> {
  let html = mail.html ?? '';
  for (const [index, { contentId, contentType }] of mail.attachments.entries()) {
    if (!contentId || !html.includes(`cid:${contentId}`)) continue;
    const content = await contentOf(index);
    const type = /^image\/[\w.+-]+$/.test(contentType) ? contentType : 'application/octet-stream';
    html = html.replaceAll(`cid:${contentId}`, `data:${type};base64,${content?.toString('base64') ?? ''}`);
  }
  return `<!doctype html><meta charset="utf-8"><base target="_blank">${html}`;
}

function attachmentLink({ url, filename, contentType, size }: Attachment): string {
  const kilobytes = Math.max(1, Math.round(size / 1000));
  return `<li><a href="${url}" download>${escapeHtml(filename)}</a> <span>${escapeHtml(contentType)}, ${kilobytes} kB</span></li>`;
}

function row(name: string, html: string): string {
  return `<div><dt>${name}</dt><dd>${html}</dd></div>`;
}

function person({ name, address }: Person): string {
  return name ? `<b>${escapeHtml(name)}</b> ${escapeHtml(address)}` : escapeHtml(address);
}

function clock(iso: string): string {
  return `<time datetime="${escapeHtml(iso)}">${escapeHtml(`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`)}</time>`;
}
