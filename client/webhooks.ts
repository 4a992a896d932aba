import type { WebhookEvent } from './types.ts';

export type WebhookVerificationCode =
  | 'INVALID_SECRET'
  | 'MISSING_HEADER'
  | 'INVALID_HEADER'
  | 'TIMESTAMP_TOO_OLD'
  | 'TIMESTAMP_TOO_NEW'
  | 'INVALID_SIGNATURE'
  | 'INVALID_BODY';

/** The request must be refused (400): it is not from Everpost, was changed or recorded, or the receiver is set up wrongly. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookVerificationCode;
  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.code = code;
  }
}

/** The headers of the request: of fetch, Node, Express, or any object, in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface VerifyOptions {
  /** How far the time of the attempt may be from the clock of this machine. Default 300. */
  toleranceSeconds?: number;
}

/** Not shared with other threads, as Web Crypto asks. */
type Bytes = Uint8Array<ArrayBuffer>;

const TOLERANCE_SECONDS = 300;
const SECRET_BYTES = 32;
/** More than a delivery ever has; it limits how many signatures are compared. */
const HEADER_LENGTH_MAX = 1_024;

const SECRET = /^whsec_([\w+/-]+)={0,2}$/;
/** Without the dot that separates the parts of the signed text. */
const ID = /^[!--/-~]{1,256}$/;
const SECONDS = /^[1-9]\d{0,11}$/;
/** The base64 of 32 bytes, written in the one way that is canonical. */
const SIGNATURE = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/;

/**
 * Checks a delivery and returns its event. `rawBody` is the body as it arrived, before any JSON parser; `secret` is one secret, or
 * several while they are being replaced. A copy of a genuine request within the tolerance is accepted: skip an `id` that was handled.
 */
export async function verify(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = bytesOf(rawBody);
  const id = headerOf(headers, 'webhook-id', ID);
  const timestamp = headerOf(headers, 'webhook-timestamp', SECONDS);
  const signatures = signaturesOf(headerOf(headers, 'webhook-signature'));
  checkTime(Number(timestamp), toleranceSeconds);
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  if (!(await isSigned(signed, signatures, secretsOf(secret))))
    throw new WebhookVerificationError(
      'INVALID_SIGNATURE',
      'No signature matches the body. Check the secret, and that rawBody is the body as it arrived, not parsed and written again.',
    );
  return parse(body);
}

export const webhooks = { verify };

/** Every pair is compared, each by the platform in constant time. */
async function isSigned(signed: Bytes, signatures: Bytes[], secrets: Bytes[]): Promise<boolean> {
  let isFound = false;
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, signed)) isFound = true;
  }
  return isFound;
}

function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  throw new WebhookVerificationError(
    'INVALID_BODY',
    'rawBody must be the body as it arrived, a string or bytes, not parsed JSON.',
  );
}

function headerOf(headers: WebhookHeaders, name: string, form = /^/): string {
  const [value, ...more] = valuesOf(headers, name);
  if (value === undefined || value === '')
    throw new WebhookVerificationError('MISSING_HEADER', `The request has no header ${name}.`);
  if (more.length > 0 || typeof value !== 'string' || value.length > HEADER_LENGTH_MAX || !form.test(value))
    throw new WebhookVerificationError('INVALID_HEADER', `The header ${name} is not one that Everpost sends.`);
  return value;
}

/** Own properties only: names come from the request. */
function valuesOf(headers: WebhookHeaders, name: string): unknown[] {
  if (typeof headers?.get === 'function') return [headers.get(name) ?? undefined];
  return Object.entries(headers ?? {})
    .filter(([given]) => given.toLowerCase() === name)
    .flatMap(([, value]) => value as unknown);
}

/** Signatures of other versions are passed over, as Standard Webhooks says. */
function signaturesOf(header: string): Bytes[] {
  const found = header.split(' ').flatMap((one) => SIGNATURE.exec(one)?.[1] ?? []);
  if (found.length === 0)
    throw new WebhookVerificationError(
      'INVALID_SIGNATURE',
      'The header webhook-signature holds no signature of version v1.',
    );
  return found.map(decode);
}

/** The one form takes secrets of every age: new ones are padded base64, those of 0.1.0 base64url without padding. */
function secretsOf(secret: string | readonly string[]): Bytes[] {
  const given = typeof secret === 'string' ? [secret] : (secret ?? []);
  const keys = given.flatMap((one) => {
    const key = decodeSecret(one);
    return key?.length === SECRET_BYTES ? [key] : [];
  });
  if (keys.length === 0 || keys.length < given.length)
    throw new WebhookVerificationError(
      'INVALID_SECRET',
      'secret must be the text that was shown when the webhook was created or its secret rotated: whsec_ and 43 or 44 more characters.',
    );
  return keys;
}

function decodeSecret(secret: unknown): Bytes | null {
  const text = typeof secret === 'string' && SECRET.exec(secret)?.[1];
  if (!text || text.length % 4 === 1) return null;
  return decode(text.replaceAll('-', '+').replaceAll('_', '/'));
}

function decode(base64: string): Bytes {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function checkTime(timestamp: number, toleranceSeconds: number): void {
  if (!(toleranceSeconds >= 0)) throw new RangeError('toleranceSeconds must be a number, 0 or more.');
  const age = Date.now() / 1000 - timestamp;
  if (Math.abs(age) <= toleranceSeconds) return;
  const text = `is more than ${toleranceSeconds} seconds ${age > 0 ? 'old: a recorded request' : 'ahead'}, or the clock of this machine is wrong`;
  throw new WebhookVerificationError(age > 0 ? 'TIMESTAMP_TOO_OLD' : 'TIMESTAMP_TOO_NEW', `The delivery ${text}.`);
}

function join(first: Uint8Array, second: Uint8Array): Bytes {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

function parse(body: Uint8Array): WebhookEvent {
  const event = readJson(body) as Partial<WebhookEvent> | null | undefined;
  const isEvent =
    typeof event?.id === 'string' &&
    typeof event.type === 'string' &&
    typeof event.createdAt === 'string' &&
    typeof event.data === 'object' &&
    event.data !== null;
  if (!isEvent)
    throw new WebhookVerificationError('INVALID_BODY', 'The body is signed, but is not an event of Everpost.');
  return event as WebhookEvent;
}

function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
  }
}
