import type { Files } from '../../core/base/deps.ts';
import type { Config } from '../../schemas/config.ts';
import { type GuardOptions, guardedFetch, UrlNotFetched } from './guard.ts';

/** A later try will not help. */
const FOR_GOOD = /^(not allowed|address not allowed|too many redirects|content encoding|status [34]\d\d)$/;
const MAY_HELP = /^status (408|425|429)$/;

/** Attachments that callers named by URL. */
export function createFiles(
  { allowPrivateUrls }: Pick<Config, 'allowPrivateUrls'>,
  options: Partial<GuardOptions> = {},
): Files {
  return {
    async fetch(url, maxBytes) {
      try {
        const { bytes, contentType } = await guardedFetch(url, { allow: allowPrivateUrls, ...options, maxBytes });
        return { kind: 'fetched', bytes, contentType };
      } catch (error) {
        if (!(error instanceof UrlNotFetched)) throw error;
        if (error.reason === 'too large') return { kind: 'large', reason: error.message };
        const isOver = FOR_GOOD.test(error.reason) && !MAY_HELP.test(error.reason);
        return { kind: isOver ? 'never' : 'again', reason: error.message };
      }
    },
  };
}
