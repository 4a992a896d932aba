import type { PostUrl } from '../core/webhook-deliveries.ts';
import type { Config } from '../schemas/config.ts';
import { guardedOpen, UrlNotFetched } from './fetch-guard.ts';

const ANSWER_BYTES_MAX = 64 * 1024;

/** A redirect is an answer like any other, and nobody reads the body. */
export function createPoster({ allowPrivateUrls }: Pick<Config, 'allowPrivateUrls'>): PostUrl {
  return async ({ url, headers, body, timeoutMs }) => {
    try {
      const options = {
        method: 'POST',
        headers,
        body,
        timeoutMs,
        redirectsMax: 0,
        maxBytes: ANSWER_BYTES_MAX,
      } as const;
      return await guardedOpen(url, { ...options, allow: allowPrivateUrls }, async ({ status }) => ({ status }));
    } catch (error) {
      return { error: error instanceof UrlNotFetched ? reasonOf(error) : 'The request failed.' };
    }
  };
}

/** Which of our addresses a name leads to is nobody's business. */
function reasonOf({ reason }: UrlNotFetched): string {
  if (reason === 'timeout') return 'No answer within 10 seconds.';
  return reason === 'too large' ? 'The answer was too large.' : 'The endpoint could not be reached.';
}
