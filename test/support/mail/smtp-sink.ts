import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type SecureContextOptions } from 'node:tls';
import { parseArgs } from 'node:util';
import { anyFreePort } from '../../../stack/ports.ts';
import { Ledger } from './smtp-sink/ledger.ts';
import { defaultModes, type SinkModes } from './smtp-sink/modes.ts';
import { Session } from './smtp-sink/session.ts';

export interface SinkOptions extends Partial<SinkModes> {
  port?: number;
  /** TLS from the first byte. */
  implicitTls?: SecureContextOptions;
  keepRaw?: number;
  keepRecords?: number;
}

export interface Sink {
  port: number;
  url: string;
  ledger: Ledger;
  /** Change a field and the next command sees it. */
  modes: SinkModes;
  connectionsOpen(): number;
  /** The most at one time, ever. */
  connectionsMost(): number;
  /** Stops listening and drops everybody, until listen(). */
  refuse(): Promise<void>;
  listen(): Promise<void>;
  close(): Promise<void>;
}

/** An SMTP server that takes mail to nowhere, remembers it, and misbehaves on request (smtp-sink/behaviour.ts, modes.ts). */
export async function startSink(options: SinkOptions = {}): Promise<Sink> {
  const { port = await anyFreePort(), implicitTls, keepRaw = 100, keepRecords = 1_000_000, ...modes } = options;
  const ledger = new Ledger(keepRaw, keepRecords);
  const sockets = new Set<Socket>();
  let connectionsMost = 0;
  const sink: Sink = {
    port,
    url: '',
    ledger,
    modes: { ...defaultModes(), ...modes },
    connectionsOpen: () => sockets.size,
    connectionsMost: () => connectionsMost,
    refuse: () => stop(server, sockets),
    listen: async () => {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(sink.port, '127.0.0.1', resolve);
      });
      sink.port = (server.address() as AddressInfo).port;
      sink.url = `${implicitTls ? 'smtps' : 'smtp'}://127.0.0.1:${sink.port}`;
    },
    close: () => stop(server, sockets),
  };
  const serve = (socket: Socket) => {
    const full = sink.modes.connectionsMax !== null && sockets.size >= sink.modes.connectionsMax;
    sockets.add(socket);
    connectionsMost = Math.max(connectionsMost, sockets.size);
    socket.on('close', () => sockets.delete(socket));
    ledger.connections++;
    new Session(socket, sink.modes, ledger, full ? '421 4.7.0 too many connections' : sink.modes.greeting);
  };
  const server = implicitTls ? createTlsServer(implicitTls, serve) : createServer(serve);
  await sink.listen();
  return sink;
}

async function stop(server: Server, sockets: Set<Socket>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  for (const socket of sockets) socket.destroy();
  await closed;
}

/** GET /stats, /messages, /wait?n=N&timeout=SECONDS, /evidence?id=<Message-ID>, POST /reset, POST /modes with a JSON body. */
async function serveHttp(sink: Sink, port: number): Promise<number> {
  const server = createHttpServer((request, response) => {
    handle(sink, request).then(
      (answer) => send(response, answer === null ? 404 : 200, answer),
      (error) => send(response, 400, { error: String(error) }),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function handle(sink: Sink, request: IncomingMessage): Promise<unknown> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sink');
  const { ledger } = sink;
  switch (`${request.method} ${pathname}`) {
    case 'GET /stats':
      return {
        ...ledger.stats(),
        ...{ connectionsOpen: sink.connectionsOpen(), connectionsMost: sink.connectionsMost() },
        rss: process.memoryUsage().rss,
      };
    case 'GET /messages':
      return ledger.messages;
    case 'GET /ids':
      return [...ledger.counts];
    case 'GET /evidence':
      return { accepted: ledger.has(searchParams.get('id') ?? '') };
    case 'GET /wait': {
      const done = await ledger.wait(Number(searchParams.get('n')), Number(searchParams.get('timeout') ?? 60) * 1_000);
      return { done, ...ledger.stats() };
    }
    case 'POST /reset':
      ledger.reset();
      return ledger.stats();
    case 'POST /modes':
      Object.assign(sink.modes, await readJson(request));
      return sink.modes;
    default:
      return null;
  }
}

async function readJson(request: IncomingMessage): Promise<object> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}

function send(response: ServerResponse, status: number, answer: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer, (key, value) => (key === 'tls' ? undefined : value)));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '2525' },
      http: { type: 'string', default: '2526' },
      'ack-delay': { type: 'string', default: '0' },
      raw: { type: 'string', default: '3' },
      records: { type: 'string', default: '1000000' },
      strict: { type: 'boolean', default: false },
    },
  });
  const sink = await startSink({
    port: Number(values.port),
    keepRaw: Number(values.raw),
    keepRecords: Number(values.records),
    ackDelayMs: Number(values['ack-delay']),
    strict: values.strict,
  });
  const http = await serveHttp(sink, Number(values.http));
  console.log(JSON.stringify({ smtp: sink.port, http }));
  process.on('disconnect', () => process.exit(0));
  process.on('SIGTERM', () => process.exit(0));
}

if (process.argv[1] === import.meta.filename) await main();
