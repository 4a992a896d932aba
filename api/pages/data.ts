import type { Project } from '../../core/base/model.ts';
import { escapeHtml } from '../../core/base/text/html.ts';
import { fill } from '../../core/base/text/languages/fill.ts';
import type { Texts } from '../../core/base/text/languages/index.ts';
import { lookOf, neutralLook } from '../../core/base/text/look.ts';
import type { Page } from '../http/endpoint.ts';
import { page } from './layout.ts';

/** The same whether there are data or not, and whether a mail was sent today or not. */
export function dataAskedPage(project: Project, texts: Texts): Page {
  const { askedHeading, asked } = texts.data;
  const body = `<h1>${escapeHtml(askedHeading)}</h1>\n<p>${escapeHtml(asked)}</p>`;
  return page({ texts, look: lookOf(project), title: askedHeading, body });
}

/** Only the button downloads: programs that follow links get this page. It posts to its own URL. */
export function dataLinkPage(project: Project, texts: Texts): Page {
  const { downloadHeading, download, button } = texts.data;
  const look = lookOf(project);
  const body = `<h1>${escapeHtml(downloadHeading)}</h1>
<p>${escapeHtml(fill(download, { name: look.name ?? project.name }))}</p>
<form method="post" action="">
<button type="submit">${escapeHtml(button)}</button>
</form>`;
  return page({ texts, look, title: downloadHeading, body });
}

/** The same page for a link that was used, that expired, and that never was. */
export function dataLinkOver(texts: Texts): Page {
  const { overHeading, over } = texts.data;
  const body = `<h1>${escapeHtml(overHeading)}</h1>\n<p>${escapeHtml(over)}</p>`;
  return page({ status: 404, texts, look: neutralLook(), title: overHeading, body });
}
