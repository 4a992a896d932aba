import type { PostUrl } from '../../core/events/webhook-deliveries.ts';
import type { Config } from '../../schemas/config.ts';
import { guardedOpen, UrlNotFetched } from './guard.ts';

/** Only the status counts: redirects are not followed, and the connection is closed without reading the body, so it may be of any length. */
export function createPoster({ allowPrivateUrls }: Pick<Config, 'allowPrivateUrls'>): PostUrl {
  return async ({ url, headers, body, timeoutMs }) => {
    try {
      const options = {
        method: 'POST',
        headers,
        body,
        timeoutMs,
        redirectsMax: 0,
        maxBytes: Number.POSITIVE_INFINITY,
      } as const;
      return await guardedOpen(url, { ...options, allow: allowPrivateUrls }, async ({ status }) => ({ status }));
    } catch (error) {
      return { error: error instanceof UrlNotFetched ? reasonOf(error) : 'The request failed.' };
    }
  };
}

/** The caller must not learn which internal address a name resolves to. */
function reasonOf({ reason }: UrlNotFetched): string {
  return reason === 'timeout' ? 'No answer within 10 seconds.' : 'The endpoint could not be reached.';
}
