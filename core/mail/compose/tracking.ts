import { ObjectId } from 'mongodb';
import { decorateHtml } from '../../templates/html/links.ts';
import type { LargePiece, TrackedMail } from '../ledger/relay.ts';
import { clickUrls, openPixelUrl } from './links.ts';
import { latin1 } from './mime/entities.ts';
import { editParts, rewriteHtmlPart } from './mime/html-parts.ts';
import { wireSafePart } from './mime/wire-safe.ts';

/**
 * A mail that came from elsewhere, with tracked links and the open pixel in its HTML, and in an encoding that the relay carries; other pieces stay
 * as they are.
 */
export function trackedPieces(piece: LargePiece | TrackedMail): LargePiece[] {
  if (typeof piece === 'string' || !('tracked' in piece)) return [piece];
  const { tracked: mail, opens, clicks, links, unsafe } = piece;
  const ref = { projectId: new ObjectId(piece.projectId), messageId: new ObjectId(piece.messageId) };
  const text = latin1(mail);
  const decorate = (html: string) =>
    decorateHtml(html, {
      pixelUrl: opens ? openPixelUrl(links, ref) : undefined,
      rewriteLink: clicks ? (url) => clickUrls(links, url, undefined)(ref) : undefined,
    });
  const edits = editParts(
    text,
    (part) => (opens || clicks ? rewriteHtmlPart(text, part, decorate) : null) ?? wireSafePart(text, part, unsafe),
  );
  let from = 0;
  const pieces = edits.flatMap(({ start, end, text }): LargePiece[] => {
    const before = { asIs: mail.subarray(from, start) };
    from = end;
    return [before, text];
  });
  return [...pieces, { asIs: mail.subarray(from) }];
}
