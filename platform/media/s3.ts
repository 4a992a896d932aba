import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { Log, Media } from '../../core/base/deps.ts';
import { AppError, unavailable } from '../../core/base/errors.ts';
import type { HeldBytes } from '../../core/base/held-bytes.ts';
import { isName, requireName } from './names.ts';
import type { S3Settings } from './store-names.ts';

/** For a call with its repeat: a caller gets 503 before it gives up by itself. */
const TIMEOUT_MS = 8_000;
const TRIES = 2;
const AGAIN_MS = 100;
const LOG_EVERY_MS = 10_000;
const FAULT_BYTES_MAX = 4_096;
/** Where the server does not say it. */
const OBJECT_BYTES_MAX = 10 * 1024 * 1024;

interface Given extends S3Settings {
  bucket: string;
  prefix: string;
  log: Pick<Log, 'warn'>;
  timeoutMs?: number;
}

interface Call {
  method: 'GET' | 'PUT' | 'DELETE';
  name: string;
  body?: Uint8Array<ArrayBuffer>;
}

/** Objects of a bucket, on any server that speaks S3. An object of S3 appears whole or not at all. */
export function openS3(given: Given): Media {
  const { log, prefix, timeoutMs = TIMEOUT_MS } = given;
  const base = baseUrl(given);
  let loggedAt = Number.NEGATIVE_INFINITY;

  async function send({ method, name, body }: Call, signal: AbortSignal): Promise<Response> {
    const signer = new AwsV4Signer({
      service: 's3',
      region: given.s3Region,
      accessKeyId: given.s3AccessKey,
      secretAccessKey: given.s3SecretKey,
      method,
      url: `${base}${prefix}${name}`,
      headers: {
        'X-Amz-Content-Sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
        // For a body that was changed on its way: some servers compare the hash above with the signature, and not with the body.
        ...(body && { 'Content-MD5': createHash('md5').update(body).digest('base64') }),
      },
    });
    const { url, headers } = await signer.sign();
    return fetch(url, { method, headers, body: body ?? null, signal, redirect: 'manual' });
  }

  /** A repeat is harmless for each of our calls; a connection that the server closed while it was idle needs one. */
  async function sendTwice(call: Call, signal: AbortSignal): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const isLast = tries === TRIES;
      try {
        const response = await send(call, signal);
        if (isLast || (response.status < 500 && response.status !== 429)) return response;
        await response.body?.cancel();
      } catch (error) {
        if (isLast || signal.aborted) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  /** The bytes of the answer; null: there is no such object. The time limit is for all of it. */
  async function ask(call: Call, held?: HeldBytes): Promise<Uint8Array | null> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await sendTwice(call, signal);
      if (response.ok) return await bytesOf(response, held);
      const code = await faultCode(response);
      // No other 404: the server may not know the bucket or the key of the caller, or speak another protocol.
      if (response.status === 404 && code === 'NoSuchKey') return null;
      throw failed({ method: call.method, status: response.status, code });
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw failed({ method: call.method, code: codeOf(error) });
    }
  }

  function failed(fields: { method: string; status?: number; code: string }): AppError {
    if (performance.now() - loggedAt > LOG_EVERY_MS) {
      loggedAt = performance.now();
      log.warn(fields, 'the S3 server of the pictures failed');
    }
    const { status, code } = fields;
    return Object.assign(unavailable('The store of pictures cannot be reached at the moment; repeat the request.'), {
      cause: status === undefined ? code : `${status} ${code}`,
    });
  }

  return {
    async save(name, bytes) {
      requireName(name);
      const saved = await ask({ method: 'PUT', name, body: new Uint8Array(bytes) });
      if (saved === null) throw failed({ method: 'PUT', status: 404, code: 'NotFound' });
    },

    async read(name, held) {
      return isName(name) ? ask({ method: 'GET', name }, held) : null;
    },

    async remove(name) {
      requireName(name);
      await ask({ method: 'DELETE', name });
    },
  };
}

async function bytesOf(response: Response, held: HeldBytes | undefined): Promise<Uint8Array> {
  try {
    await held?.take(Number(response.headers.get('content-length') ?? OBJECT_BYTES_MAX));
  } catch (error) {
    await response.body?.cancel();
    throw error;
  }
  return new Uint8Array(await response.arrayBuffer());
}

function baseUrl({ s3Endpoint, s3Region, s3PathStyle, bucket }: Given): string {
  const url = new URL(s3Endpoint || `https://s3.${s3Region}.amazonaws.com`);
  if (s3PathStyle) return `${url.origin}/${bucket}/`;
  return `${url.protocol}//${bucket}.${url.host}/`;
}

/** The word that S3 has for a fault, such as AccessDenied. Its sentence is left out: it may quote the key and what was signed. */
async function faultCode(response: Response): Promise<string> {
  const text = (await response.text()).slice(0, FAULT_BYTES_MAX);
  return /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(text)?.[1] ?? 'unknown';
}

function codeOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? name;
}
