import type { HeldBytes } from '../base/held-bytes.ts';
import { readFile } from '../mail/messages/contents.ts';
import { withOwnPictures } from '../mail/previews/own-pictures.ts';
import type { InboundDeps } from './deps.ts';
import type { InboundMessage } from './model.ts';

type Pictured = Pick<InboundMessage, 'projectId' | 'html' | 'attachments'>;

/** The HTML of a mail with the pictures that it brought; null when it has none. */
export async function htmlWithOwnPictures(
  deps: Pick<InboundDeps, 'db'>,
  { projectId, html, attachments }: Pictured,
  held: HeldBytes,
): Promise<string | null> {
  if (html === null) return null;
  return withOwnPictures(html, attachments, ({ fileId }) => readFile(deps, { projectId, fileId }, held));
}
