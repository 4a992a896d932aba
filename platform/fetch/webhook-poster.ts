import type { AnswerBytes } from '../../core/events/webhook-answers.ts';
import type { PostUrl } from '../../core/events/webhook-deliveries.ts';
import type { Config } from '../../schemas/config.ts';
import { guardedOpen, UrlNotFetched } from './guard.ts';

/**
 * Mostly the status alone counts: redirects are not followed, and the connection is closed without reading the body, so it may be of any
 * length. Of a body that is asked for no more is read than may be in it.
 */
export function createPoster({ allowPrivateUrls }: Pick<Config, 'allowPrivateUrls'>): PostUrl {
  return async ({ url, headers, body, timeoutMs, answerBytesMax }) => {
    try {
      const options = {
        method: 'POST',
        headers,
        body,
        timeoutMs,
        redirectsMax: 0,
        maxBytes: Number.POSITIVE_INFINITY,
      } as const;
      return await guardedOpen(url, { ...options, allow: allowPrivateUrls }, async ({ status }, answer) => {
        if (answerBytesMax === undefined || status < 200 || status > 299) return { status };
        return { status, answer: await bytesOf(answer, answerBytesMax) };
      });
    } catch (error) {
      return { error: error instanceof UrlNotFetched ? reasonOf(error) : 'The request failed.' };
    }
  };
}

async function bytesOf(body: AsyncIterable<Buffer>, bytesMax: number): Promise<AnswerBytes> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > bytesMax) return 'too_large';
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The caller must not learn which internal address a name resolves to. */
function reasonOf({ reason }: UrlNotFetched): string {
  return reason === 'timeout' ? 'No answer within 10 seconds.' : 'The endpoint could not be reached.';
}
