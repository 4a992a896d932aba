import type { Config } from '../../schemas/config.ts';
import type { FetchFile } from './export-file.ts';
import { USER_AGENT } from './http.ts';

/** Files of exports and pictures: addresses that a source named. Never with a key. */
export function fetchForeign(_config: Pick<Config, 'allowPrivateUrls'>): {
  open: FetchFile;
  read(url: string, bytesMax: number, signal?: AbortSignal): Promise<Uint8Array | null>;
} {
  const open: FetchFile = async (url, signal) => {
    const response = await fetch(url, {
      headers: { 'user-agent': USER_AGENT },
      redirect: 'manual',
      signal: signal ?? null,
    });
    return { status: response.status, body: (response.body ?? []) as AsyncIterable<Uint8Array> };
  };
  return {
    open,
    async read(url, bytesMax, signal) {
      try {
        const { status, body } = await open(url, signal);
        if (status !== 200) return null;
        const pieces: Uint8Array[] = [];
        let bytes = 0;
        for await (const piece of body) {
          bytes += piece.length;
          if (bytes > bytesMax) return null;
          pieces.push(piece);
        }
        return Buffer.concat(pieces);
      } catch {
        signal?.throwIfAborted();
        return null;
      }
    },
  };
}
