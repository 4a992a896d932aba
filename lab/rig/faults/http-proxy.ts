import { once } from 'node:events';
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A fault of one request. drop: the connection is cut before the API has it. loseAnswer: the API answers, and the connection is cut
 * before the first byte. cutAnswer: it is cut in the middle of the body. refuse: 503 without asking the API.
 */
export interface HttpFault {
  kind: 'none' | 'drop' | 'loseAnswer' | 'cutAnswer' | 'refuse';
  /** Before the API is asked. */
  delayMs?: number;
  /** Of a refusal; 503 with Retry-After: 1 when left out. */
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

export interface HttpProxy {
  url: string;
  /** Each request that arrived, in order. */
  requests: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[];
  /** Requests without the end of their answer: streams are most of them. */
  openCount(): number;
  /** Cuts the connections that are open now: streams, and requests under way. */
  cut(): void;
  stop(): Promise<void>;
}

const refusal = JSON.stringify({ success: false, error: { message: 'Not now.', code: 'UNAVAILABLE' } });

/** A proxy in front of the API that knows requests, so that it can lose the answer to one that was carried out. */
export async function startHttpProxy(
  target: () => string,
  faultOf: (request: IncomingMessage, number: number) => HttpFault,
): Promise<HttpProxy> {
  const requests: HttpProxy['requests'] = [];
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    open.add(response.once('close', () => open.delete(response)));
    requests.push(request);
    const fault = faultOf(request, requests.length);
    pass(target(), fault, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    openCount: () => open.size,
    cut() {
      for (const response of open) response.socket?.resetAndDestroy();
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function pass(target: string, fault: HttpFault, request: IncomingMessage, response: ServerResponse) {
  const { kind, delayMs = 0 } = fault;
  if (delayMs > 0) await sleep(delayMs);
  if (kind === 'drop') return void response.socket?.resetAndDestroy();
  if (kind === 'refuse') {
    request.resume();
    const { status = 503, headers = { 'Retry-After': '1' }, body = refusal } = fault;
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
    return;
  }
  const answer = await forward(target, request, response);
  if (kind === 'loseAnswer' || kind === 'cutAnswer') return cutOff(answer, kind, response);
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  response.flushHeaders();
  answer.on('error', () => response.destroy()).pipe(response);
}

async function forward(target: string, request: IncomingMessage, response: ServerResponse): Promise<IncomingMessage> {
  const { method, url, headers } = request;
  const there = ask(new URL(url ?? '/', target), { method, headers, agent: false });
  response.once('close', () => there.destroy());
  request.pipe(there);
  const [answer] = (await once(there, 'response')) as [IncomingMessage];
  return answer;
}

async function cutOff(answer: IncomingMessage, kind: HttpFault['kind'], response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece);
  const body = Buffer.concat(pieces);
  if (kind === 'cutAnswer') {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.write(body.subarray(0, Math.floor(body.length / 2)));
    await sleep(5);
  }
  response.socket?.resetAndDestroy();
}
