import { escapeHtml } from '../../core/base/text/html.ts';
import { languageFor, textsIn } from '../../core/base/text/languages/index.ts';
import { neutralLook } from '../../core/base/text/look.ts';
import type { Page, RequestFacts } from '../http/endpoint.ts';
import { page } from './layout.ts';

/** Without a project, since the link names none; in the language of the browser. */
export function linkNotFound({ header }: Pick<RequestFacts, 'header'>): Page {
  const texts = textsIn(languageFor({ acceptLanguage: header('accept-language') }));
  const { title, heading, hint } = texts.notFound;
  return page({
    status: 404,
    texts,
    look: neutralLook(),
    title,
    body: `<h1>${escapeHtml(heading)}</h1>
<p>${escapeHtml(hint)}</p>`,
  });
}
