import { Page } from '../http/endpoint.ts';
import { page, pageHeaders } from './layout.ts';

const CONTENT = page(
  'Link not valid',
  `<h1>This link is not valid</h1>
<p>It may be incomplete: some mail programs break long links. Open it from the email again, or copy all of it.</p>`,
);

export function linkNotFound(): Page {
  return new Page(404, pageHeaders, CONTENT);
}
