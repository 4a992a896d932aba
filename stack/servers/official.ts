import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { StackError, seconds } from '../output.ts';
import { fillAtomically } from './cache.ts';
import type { Fetching } from './wheels.ts';

/** An official download: a tar.gz with the server at its top. */
export interface Archive {
  readonly id: string;
  readonly url: string;
}

const answerWithinMs = 8_000;

export async function fetchArchive({ url }: Archive, { command, target, say }: Fetching): Promise<void> {
  const began = Date.now();
  say(`${command}: fetching ${url}.`);
  await fillAtomically(target, async (folder) => {
    const response = await requestArchive(url);
    const tar = spawn('tar', ['-xzf', '-', '-C', folder, basename(target)], { stdio: ['pipe', 'ignore', 'ignore'] });
    const exit = once(tar, 'exit');
    const body = Readable.fromWeb(response.body as ReadableStream);
    await pipeline(body, tar.stdin).catch(() => {}); // tar's exit code says whether it is whole
    const [code] = await exit;
    if (code !== 0) throw new StackError(`${url} did not arrive whole`);
  });
  say(`${command}: fetched in ${seconds(began)}.`);
}

async function requestArchive(url: string): Promise<Response> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), answerWithinMs);
  try {
    const response = await fetch(url, { signal: giveUp.signal });
    if (!response.ok) throw new StackError(`${url} answered ${response.status}`);
    return response;
  } catch (error) {
    throw error instanceof StackError ? error : new StackError(`${url} did not answer`);
  } finally {
    clearTimeout(timer);
  }
}
