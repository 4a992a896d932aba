import { setTimeout as sleep } from 'node:timers/promises';
import { type OpenSource, SourceError } from '../../core/migrations/source.ts';
import type { Config } from '../../schemas/config.ts';
import { createFiles } from '../fetch/files.ts';
import { guardedOpen, UrlNotFetched } from '../fetch/guard.ts';
import { type FetchFile, FILE_BYTES_MAX } from './export-file.ts';
import { backOffMs, USER_AGENT } from './http.ts';

const URL_LENGTH_MAX = 8_192;
/** Long, since a file is read only as fast as contacts are written. */
const FILE_MS = 6 * 3_600_000;
const SILENCE_MS = 60_000;

type Settings = Pick<Config, 'allowPrivateUrls'>;
type Wait = Pick<OpenSource, 'patienceMs' | 'signal'>;

/** Files of exports: the source names their URL, so it is checked like any untrusted URL, and no key is sent with it. */
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

/** Pictures, which provider A mostly names by http. null: it cannot be fetched. */
export function fetchImages({ allowPrivateUrls }: Settings) {
  return async (url: string, maxBytes: number, { patienceMs, signal }: Wait): Promise<Uint8Array | null> => {
    const files = createFiles({ allowPrivateUrls }, { http: true, signal });
    const giveUpAt = performance.now() + patienceMs;
    for (let attempt = 0; ; attempt += 1) {
      const file = await files.fetch(url, maxBytes);
      if (file.kind === 'fetched') return file.bytes;
      const waitMs = backOffMs(attempt);
      if (file.kind === 'never' || performance.now() + waitMs > giveUpAt) return null;
      await sleep(waitMs, undefined, { signal });
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
