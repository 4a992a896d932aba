import { createHmac } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';

interface Attempt {
  /** The newest first: a replaced secret signs for a day. */
  secrets: string[];
  id: string;
  /** Seconds since 1970, of this attempt. */
  timestamp: number;
  body: string;
}

/** Standard Webhooks, and our own headers, which are made with the oldest secret so that a rotation breaks no receiver that checks them. */
export function signedHeaders({ secrets, id, timestamp, body }: Attempt): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => signStandard(secret, id, timestamp, body)).join(' '),
    'X-Webhook-Id': id,
    'X-Webhook-Timestamp': String(timestamp),
    'X-Webhook-Signature': signWebhook(secrets.at(-1)!, timestamp, body),
  };
}

/**
 * v1, and the base64 HMAC-SHA256 of `id.timestamp.body` under the bytes of the secret. Node reads base64 in both alphabets, with or without
 * padding: secrets of 0.1.0 are base64url without it. A key of bytes would cost three times as much as this whole signature.
 */
export function signStandard(secret: string, id: string, timestamp: number, body: string): string {
  const hmac = createHmac('sha256', secret.slice(SECRET_PREFIX.length), { encoding: 'base64' });
  return `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** v1= and the hexadecimal HMAC-SHA256 of `timestamp.body` under the text of the secret. */
export function signWebhook(secret: string, timestamp: number, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}
