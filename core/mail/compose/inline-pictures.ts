import { withPictures } from '../../templates/media/inline.ts';
import type { InlinePicture } from '../../templates/media/model.ts';
import type { MailDeps } from '../deps.ts';
import type { MimeAttachment } from './mime/compose.ts';
import { base64Lines } from './mime/encodings.ts';

/** The HTML that names its pictures as parts of the mail (RFC 2392), and these parts, encoded once. */
export async function inlined<Html extends string | null>(
  deps: Pick<MailDeps, 'config' | 'media' | 'state'>,
  html: Html,
  pictures: readonly InlinePicture[] = [],
): Promise<{ html: Html | string; parts: MimeAttachment[] }> {
  if (html === null || pictures.length === 0) return { html, parts: [] };
  const { html: named, files } = await withPictures(deps, html, pictures, (name) => `cid:${contentIdOf(name)}`);
  const parts = files.map(({ name, bytes }, index) => ({
    fileName: `picture-${index + 1}.${name.split('.')[1]}`,
    contentType: null,
    contentId: contentIdOf(name),
    description: null,
    bytes,
    lines: base64Lines(bytes),
  }));
  return { html: named, parts };
}

/** With an @, as RFC 2045 asks. */
function contentIdOf(name: string): string {
  return `${name.slice(0, 32)}@inline`;
}
