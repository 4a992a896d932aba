import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * A stand-in for a server that speaks S3, with one bucket in memory. It works out the signature of each request by itself, from the
 * documents of AWS, and takes none that differs. `TEST_S3_ENDPOINT` lets the tests of stores run against a real one too.
 */
export interface S3Server {
  endpoint: string;
  objects: Map<string, Buffer>;
  /** Set by a test: takes over a request, and returns true. */
  fault: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  requests: string[];
  stop(): Promise<void>;
}

export const s3Keys = { s3Region: 'eu-central-1', s3AccessKey: 'AKTEST', s3SecretKey: 'a secret/of+the key' };
export const BUCKET = 'pictures';

export async function startS3(): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  // A connection that is closed while it is idle would cost a caller its second try.
  server.keepAliveTimeout = 60_000;
  const s3: S3Server = { endpoint: '', objects, fault: null, requests: [], stop };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    s3.requests.push(`${request.method} ${request.url}`);
    if (s3.fault?.(request, response)) return;
    const body = await buffer(request);
    const refuse = (status: number, code: string) =>
      response.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
    if (hex(body) !== request.headers['x-amz-content-sha256']) return void refuse(400, 'XAmzContentSHA256Mismatch');
    if (signatureOf(request) !== request.headers.authorization) return void refuse(403, 'SignatureDoesNotMatch');
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

const hex = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const mac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();

/** Signature Version 4, for a path that needs no encoding and a URL without a query. */
function signatureOf({ method, url, headers }: IncomingMessage): string {
  const at = String(headers['x-amz-date']);
  const signed = ['host', 'x-amz-content-sha256', 'x-amz-date'];
  const lines = signed.map((name) => `${name}:${headers[name]}\n`).join('');
  const canonical = [method, url, '', lines, signed.join(';'), headers['x-amz-content-sha256']].join('\n');
  const scope = [at.slice(0, 8), s3Keys.s3Region, 's3', 'aws4_request'];
  const key = scope.reduce<Buffer | string>(mac, `AWS4${s3Keys.s3SecretKey}`);
  const signature = mac(key, ['AWS4-HMAC-SHA256', at, scope.join('/'), hex(canonical)].join('\n')).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${s3Keys.s3AccessKey}/${scope.join('/')}, SignedHeaders=${signed.join(';')}, Signature=${signature}`;
}
