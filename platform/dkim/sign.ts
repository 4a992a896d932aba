import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto';
import type { DkimKey } from '../../core/mail/ledger/relay.ts';
import { canonicalHeader, canonicalMessage } from './canonical.ts';

/**
 * Signed once more than they occur (RFC 6376 8.15), also when they are absent, so that a replayer cannot put another Subject, Reply-To or
 * Content-Type above ours and keep the signature. List-Unsubscribe-Post must be signed (RFC 8058 4).
 */
const OVERSIGNED_HEADERS: readonly string[] = [
  'from',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'reply-to',
  'in-reply-to',
  'references',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'list-unsubscribe',
  'list-unsubscribe-post',
];
/** Signed where present; relays and mailing lists add their own. */
const SIGNED_HEADERS: readonly string[] = ['list-id', 'feedback-id', 'cfbl-address'];

const KEYS_MAX = 1_000;
const imported = new Map<string, KeyObject>();

/** The DKIM-Signature headers, each with its line end, in the order of the keys. The message has a byte in each character. */
export function signMessage(message: string, keys: readonly DkimKey[], at: Date): string {
  if (keys.length === 0) return '';
  const { headers, body } = canonicalMessage(message);
  const linesOf = (name: string) => headers.get(name) ?? [];
  const signed = [...OVERSIGNED_HEADERS, ...SIGNED_HEADERS];
  const names = [...signed.flatMap((name) => linesOf(name).map(() => name)), ...OVERSIGNED_HEADERS];
  // Verifiers take the lines of a name from the last one upwards.
  const lines = signed.flatMap((name) => linesOf(name).toReversed());
  const shared: Shared = {
    names: names.join(':'),
    signed: `${lines.join('\r\n')}\r\n`,
    bodyHash: hash('sha256', Buffer.from(body, 'latin1'), 'base64'),
    seconds: Math.floor(at.getTime() / 1_000),
  };
  return keys.map((key) => signatureHeader(key, shared)).join('');
}

interface Shared {
  names: string;
  signed: string;
  bodyHash: string;
  seconds: number;
}

function signatureHeader({ domain, selector, privateKey }: DkimKey, shared: Shared): string {
  const key = importKey(privateKey);
  const ed25519 = key.asymmetricKeyType === 'ed25519';
  const value =
    `v=1; a=${ed25519 ? 'ed25519' : 'rsa'}-sha256; c=relaxed/relaxed; d=${domain}; s=${selector};\r\n` +
    ` t=${shared.seconds}; bh=${shared.bodyHash};\r\n h=${foldNames(shared.names)};\r\n b=`;
  const bytes = Buffer.from(shared.signed + canonicalHeader('dkim-signature', value), 'latin1');
  // RFC 8463 3: Ed25519 signs the hash, not the text.
  const signature = ed25519 ? sign(null, hash('sha256', bytes, 'buffer'), key) : sign('sha256', bytes, key);
  return `DKIM-Signature: ${value}${foldBase64(signature.toString('base64'))}\r\n`;
}

/** Reading a PEM costs a tenth of a signature. */
function importKey(pem: string): KeyObject {
  const known = imported.get(pem);
  if (known) return known;
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'rsa' && key.asymmetricKeyType !== 'ed25519')
    throw new Error(`A DKIM key is RSA or Ed25519, not ${key.asymmetricKeyType}.`);
  if (imported.size >= KEYS_MAX) imported.clear();
  imported.set(pem, key);
  return key;
}

/** White space is allowed around the colons of h= and anywhere in b=. */
function foldNames(names: string): string {
  return names.replace(/(.{40,60}:)/g, '$1\r\n  ');
}

function foldBase64(text: string): string {
  return text.replace(/(.{72})(?=.)/g, '$1\r\n ');
}
