import { SourceError } from '../../core/migrations-sources.ts';
import type { Config } from '../../schemas/config.ts';
import { guardedFetch, guardedOpen, UrlNotFetched } from '../fetch-guard.ts';
import { type FetchFile, FILE_BYTES_MAX } from './export-file.ts';
import { USER_AGENT } from './http.ts';

const URL_LENGTH_MAX = 8_192;
/** Reading goes no faster than contacts are written. */
const FILE_MS = 6 * 3_600_000;
const SILENCE_MS = 60_000;

type Settings = Pick<Config, 'allowPrivateUrls'>;

/** Files of exports: the source names their address, so it is judged like any stranger's, and no key goes with it. */
export function fetchFiles({ allowPrivateUrls: allow }: Settings): FetchFile {
  return (url, signal) =>
    new Promise((resolve, reject) => {
      const options = {
        allow,
        signal,
        maxBytes: FILE_BYTES_MAX,
        timeoutMs: FILE_MS,
        lengthMax: URL_LENGTH_MAX,
        redirectsMax: 0,
        headers: { 'user-agent': USER_AGENT },
      };
      guardedOpen(url, options, ({ status }, body) => {
        const { promise: closed, resolve: close } = Promise.withResolvers<void>();
        resolve({ status, body: neverSilent(body), close });
        return closed;
      }).catch((error: unknown) => reject(refusal(error)));
    });
}

/** Pictures, which provider A mostly names by http. null: it cannot be had. */
export function fetchImages({ allowPrivateUrls: allow }: Settings) {
  return async (url: string, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array | null> => {
    try {
      const { bytes } = await guardedFetch(url, { allow, signal, maxBytes, http: true });
      return bytes;
    } catch (error) {
      if (error instanceof UrlNotFetched) return null;
      throw error;
    }
  };
}

async function* neverSilent(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await within(SILENCE_MS, pieces.next());
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw refusal(error);
  } finally {
    void pieces.return?.();
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new UrlNotFetched('timeout')), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function refusal(error: unknown): unknown {
  if (!(error instanceof UrlNotFetched)) return error;
  return new SourceError('file_gone', 'The export file could not be fetched, or broke off.');
}
