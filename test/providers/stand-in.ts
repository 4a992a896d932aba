import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Act, type Fault, takeFault } from './faults.ts';

export interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: unknown;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON, a string or bytes as they are. */
  body: unknown;
}

/** One request as it arrived; `at` is milliseconds of the wall clock, with fractions. */
export interface Arrival {
  at: number;
  method: string;
  url: string;
  key: string | undefined;
  userAgent: string | undefined;
  status: number;
  fault: string | undefined;
}

export interface StandIn {
  url: string;
  /** Without HTTP, log and faults. */
  answer(request: Request): Answer | Promise<Answer>;
  log: Arrival[];
  faults: Fault[];
  stop(): Promise<void>;
}

const SLOW_PIECES = 20;

/** A server of answers: every request is logged when it arrives, and a fault may take the place of its answer. */
export async function startStandIn(
  answer: (request: Request) => Answer | Promise<Answer>,
  { port = 0, faults = [] }: { port?: number; faults?: Fault[] } = {},
): Promise<StandIn> {
  const log: Arrival[] = [];
  const server = createServer((incoming, outgoing) => {
    const arrival = arrivalOf(incoming);
    log.push(arrival);
    serve(incoming, outgoing, arrival).catch((error: unknown) => {
      arrival.status = 599;
      console.error('the stand-in failed', error);
      outgoing.destroy();
    });
  });

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse, arrival: Arrival): Promise<void> {
    const request = await readRequest(incoming);
    const fault = takeFault(faults, `${request.method} ${arrival.url}`);
    arrival.fault = fault?.act.kind;
    if (fault?.act.kind === 'reset') {
      incoming.socket.destroy();
      return;
    }
    if (fault?.act.kind === 'meanwhile') fault.act.run();
    if (fault?.act.kind === 'delay') await sleep(fault.act.ms);
    const given = fault?.act.kind === 'answer' ? fault.act.answer : await answer(request);
    arrival.status = given.status;
    await send(outgoing, given, fault?.act);
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer,
    log,
    faults,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function arrivalOf({ method = '', url = '', headers }: IncomingMessage): Arrival {
  const key = headers.authorization?.replace(/^Bearer /, '');
  const at = performance.timeOrigin + performance.now();
  return { at, method, url, key, userAgent: headers['user-agent'], status: 0, fault: undefined };
}

async function readRequest(incoming: IncomingMessage): Promise<Request> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString();
  const url = new URL(incoming.url ?? '/', 'http://stand-in');
  return {
    method: incoming.method ?? 'GET',
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers: incoming.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

async function send(outgoing: ServerResponse, { status, headers = {}, body }: Answer, act?: Act): Promise<void> {
  const raw = typeof body === 'string' || Buffer.isBuffer(body);
  const bytes = Buffer.from(raw ? (body as string) : JSON.stringify(body));
  const all = raw ? headers : { 'content-type': 'application/json; charset=utf-8', ...headers };
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  if (act?.kind === 'truncate') {
    outgoing.writeHead(status, { ...all, 'content-length': String(half.length) }).end(half);
    return;
  }
  outgoing.writeHead(status, { ...all, 'content-length': String(bytes.length) });
  if (act?.kind === 'cut') {
    outgoing.write(half, () => outgoing.destroy());
    return;
  }
  if (act?.kind === 'trickle') await trickle(outgoing, bytes, act.ms);
  else outgoing.end(bytes);
}

async function trickle(outgoing: ServerResponse, bytes: Buffer, ms: number): Promise<void> {
  const size = Math.max(1, Math.ceil(bytes.length / SLOW_PIECES));
  for (let from = 0; from < bytes.length && !outgoing.destroyed; from += size) {
    outgoing.write(bytes.subarray(from, from + size));
    await sleep(ms / SLOW_PIECES);
  }
  outgoing.end();
}
