import { ObjectId } from 'mongodb';
import type { LargePiece, TrackedMail } from '../outbox/relay.ts';
import { decorateHtml } from '../templates/html/links.ts';
import { clickUrls, openPixelUrl } from './links.ts';
import { latin1 } from './mime/entities.ts';
import { rewriteHtmlParts } from './mime/html-parts.ts';

/** A mail that came from elsewhere, with tracked links and the open pixel in its HTML; other pieces stay as they are. */
export function trackedPieces(piece: LargePiece | TrackedMail): LargePiece[] {
  if (typeof piece === 'string' || !('tracked' in piece)) return [piece];
  const { tracked: mail, opens, clicks, links } = piece;
  const ref = { projectId: new ObjectId(piece.projectId), messageId: new ObjectId(piece.messageId) };
  const edits = rewriteHtmlParts(latin1(mail), (html) =>
    decorateHtml(html, {
      pixelUrl: opens ? openPixelUrl(links, ref) : undefined,
      rewriteLink: clicks ? (url) => clickUrls(links, url, undefined)(ref) : undefined,
    }),
  );
  let from = 0;
  const pieces = edits.flatMap(({ start, end, text }): LargePiece[] => {
    const before = { asIs: mail.subarray(from, start) };
    from = end;
    return [before, text];
  });
  return [...pieces, { asIs: mail.subarray(from) }];
}
