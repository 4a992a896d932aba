import { lookup } from 'node:dns/promises';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { isAllowedUrl, isListed, isPublicAddress, literalAddress } from '../../core/base/text/urls.ts';
import { dialAddress, openConnection } from './guarded-connection.ts';

const TIMEOUT_MS = 15_000;
const REDIRECTS_MAX = 3;
const ADDRESSES_TRIED_MAX = 3;
const CONTENT_TYPE_LENGTH_MAX = 200;
const USER_AGENT = 'Everpost/1.0';

export interface GuardOptions {
  /** Of the body, after inflation. */
  maxBytes: number;
  /** For everything: DNS, redirects, the last byte. */
  timeoutMs?: number;
  /** Returns every address of a name. */
  resolve?: (hostname: string) => Promise<string[]>;
  /** host:port pairs that may be private. */
  allow?: readonly string[];
  http?: boolean;
  /** Of the URL, in characters. */
  lengthMax?: number;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | Buffer;
  redirectsMax?: number;
  signal?: AbortSignal | undefined;
  /** Opens the connection to an address that was checked. */
  dial?: (address: string, port: number) => Socket;
}

interface GuardedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  contentType: string | null;
  url: string;
}

/** One message for all reasons, so that a caller learns nothing about our network. `reason` is for our log. */
export class UrlNotFetched extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(
      'The URL could not be fetched: it must be a public https address that answers in time with a file of allowed size.',
    );
    this.reason = reason;
  }
}

type Read<T> = (response: GuardedResponse, body: AsyncIterable<Buffer>) => Promise<T>;

/** The bytes of an untrusted URL. Rejects with UrlNotFetched for anything but a 2xx within all limits. */
export async function guardedFetch(url: string, options: GuardOptions): Promise<GuardedResponse & { bytes: Buffer }> {
  return guardedOpen(url, options, async (response, body) => {
    if (response.status < 200 || response.status > 299) throw new UrlNotFetched(`status ${response.status}`);
    const pieces: Buffer[] = [];
    for await (const piece of body) pieces.push(piece);
    return { ...response, bytes: Buffer.concat(pieces) };
  });
}

/** The same for any status, as a stream that lasts as long as `read` does. */
export async function guardedOpen<T>(url: string, options: GuardOptions, read: Read<T>): Promise<T> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(new UrlNotFetched('timeout')), options.timeoutMs ?? TIMEOUT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, end.signal]) : end.signal;
  try {
    return await follow(checked(url, options), options, signal, read);
  } finally {
    clearTimeout(timer);
    end.abort(new UrlNotFetched('over'));
  }
}

async function follow<T>(first: URL, options: GuardOptions, signal: AbortSignal, read: Read<T>): Promise<T> {
  const { redirectsMax = REDIRECTS_MAX, maxBytes } = options;
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const message = await ask(url, options, signal, redirects === 0);
    const { headers, statusCode: status = 0 } = message;
    const { location } = headers;
    if (status >= 300 && status < 400 && location !== undefined && redirectsMax > 0) {
      message.destroy();
      if (redirects >= redirectsMax) throw new UrlNotFetched('too many redirects');
      url = checked(URL.canParse(location, url.href) ? new URL(location, url).href : '', options);
      continue;
    }
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw new UrlNotFetched('too large');
    const contentType = headers['content-type']?.slice(0, CONTENT_TYPE_LENGTH_MAX) ?? null;
    return read({ status, headers, contentType, url: url.href }, bodyOf(message, maxBytes, signal));
  }
}

function checked(url: string, options: GuardOptions): URL {
  if (!isAllowedUrl(url, options)) throw new UrlNotFetched('not allowed');
  return new URL(url);
}

/**
 * One request to one of the checked addresses. Only the first request carries the caller's headers and body: a redirect may lead to another
 * server.
 */
async function ask(url: URL, options: GuardOptions, signal: AbortSignal, first: boolean): Promise<IncomingMessage> {
  const socket = await connect(url, options, signal);
  const { method, headers, body } = first ? options : {};
  try {
    return await new Promise((resolve, reject) => {
      const outgoing = request({
        createConnection: () => socket,
        method: method ?? 'GET',
        path: url.pathname + url.search,
        setHost: false,
        headers: {
          'user-agent': USER_AGENT,
          'accept-encoding': 'identity',
          ...headers,
          host: url.host,
          connection: 'close',
        },
        signal,
      });
      outgoing
        .on('response', resolve)
        .on('error', reject)
        .on('close', () => reject(new Error('closed')));
      outgoing.end(body);
    });
  } catch (error) {
    socket.destroy();
    throw refusal(error, signal);
  }
}

/** The name is resolved once, and every one of its addresses has to be public, since a later lookup might return any of them. */
async function connect(url: URL, options: GuardOptions, signal: AbortSignal): Promise<Socket> {
  const { resolve = resolveName, dial = dialAddress } = options;
  const listed = isListed(url, options.allow);
  const judge = (address: string | undefined) => listed || (address !== undefined && isPublicAddress(address));
  const literal = literalAddress(url.hostname);
  try {
    const addresses = literal ? [literal] : await untilAborted(resolve(url.hostname), signal);
    if (addresses.length === 0 || !addresses.every(judge)) throw new UrlNotFetched('address not allowed');
    let failure: unknown;
    for (const address of addresses.slice(0, ADDRESSES_TRIED_MAX)) {
      try {
        return await openConnection(url, address, { judge, dial, signal });
      } catch (error) {
        failure = error;
        signal.throwIfAborted();
      }
    }
    throw failure;
  } catch (error) {
    throw refusal(error, signal);
  }
}

/** Counted after inflation: a small answer may inflate without bound. */
async function* bodyOf(message: IncomingMessage, maxBytes: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    const inflater = inflaterOf(message.headers['content-encoding']);
    const stream = inflater ? pipeline(message, inflater, () => {}) : message;
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) throw new UrlNotFetched('too large');
      yield piece;
    }
  } catch (error) {
    throw refusal(error, signal);
  } finally {
    message.destroy();
  }
}

function inflaterOf(encoding = ''): Transform | null {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new UrlNotFetched('content encoding');
  }
}

/** The caller's own abort stays an abort; every other error becomes the same refusal. */
function refusal(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  return error instanceof UrlNotFetched
    ? error
    : new UrlNotFetched(error instanceof Error ? error.message : String(error));
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

/** IPv4 first: a machine without IPv6 fails fast that way, but not the other way round. */
async function resolveName(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true });
  return found.sort((a, b) => a.family - b.family).map(({ address }) => address);
}
