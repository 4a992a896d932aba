import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { BUCKET } from './s3.ts';

/**
 * A stand-in for a server that speaks S3, with one bucket in memory, for faults that a real one shows only by chance: it fails, hangs and
 * breaks off as a test says. It looks at no signature; the tests on a real server do (test/support/stores/s3.ts).
 */
export interface S3StandIn {
  endpoint: string;
  objects: Map<string, Buffer>;
  /** Set by a test: takes over a request, and returns true. */
  fault: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  requests: string[];
  stop(): Promise<void>;
}

export async function startS3StandIn(): Promise<S3StandIn> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  // A connection that is closed while it is idle would cost a caller its second try.
  server.keepAliveTimeout = 60_000;
  const s3: S3StandIn = { endpoint: '', objects, fault: null, requests: [], stop };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    s3.requests.push(`${request.method} ${request.url}`);
    if (s3.fault?.(request, response)) return;
    const body = await buffer(request);
    const refuse = (status: number, code: string) =>
      response.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
    const [, bucket, ...path] = (request.url ?? '').split('/');
    if (bucket !== BUCKET) return void refuse(404, 'NoSuchBucket');
    const key = path.join('/');
    if (request.method === 'PUT') {
      objects.set(key, body);
      return void response.writeHead(200).end();
    }
    const object = objects.get(key);
    if (request.method === 'DELETE') {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    if (!object) return void refuse(404, 'NoSuchKey');
    response.writeHead(200, { 'Content-Length': object.length }).end(object);
  }

  async function stop(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  s3.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return s3;
}
