import { createCipheriv, createDecipheriv, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type { Config } from '../schemas/config.ts';
import { secretKeyBytes } from './secrets.ts';

/** Which mail a link or an address belongs to. */
export interface MailRef {
  projectId: ObjectId;
  messageId: ObjectId;
}

export interface UnsubscribeRef extends MailRef {
  /** null: the mail names no group. */
  groupId: string | null;
  email: string;
}

type Keys = Pick<Config, 'secretKeys'>;

const IDS_BYTES = 24;
const MAC_BYTES = 16;
const ADDRESS_MAC_HEX = 12;
const GROUP_CHARS = 6;
const TOKEN_LENGTH_MAX = 8_192;
const TOKEN = /^[A-Za-z0-9_-]+$/;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** /t/o/<token>.gif */
export function openToken(config: Keys, ref: MailRef): string {
  const ids = idsOf(ref);
  return Buffer.concat([macOf(signingKey(config), 'open', ids), ids]).toString('base64url');
}

export function readOpenToken(config: Keys, token: string): MailRef | null {
  const bytes = bytesOf(token);
  const payload = bytes && verified(config, 'open', bytes);
  return payload?.length === IDS_BYTES ? refOf(payload) : null;
}

/** /t/c/<token>. The target stands inside, under the signature: no parameter ever chooses it, and it works with the database away. */
export function clickToken(config: Keys, ref: MailRef, target: string): string {
  const payload = Buffer.concat([idsOf(ref), Buffer.from(target, 'utf8')]);
  return Buffer.concat([macOf(signingKey(config), 'click', payload), payload]).toString('base64url');
}

export function readClickToken(config: Keys, token: string): (MailRef & { target: string }) | null {
  const bytes = bytesOf(token);
  const payload = bytes && verified(config, 'click', bytes);
  if (!payload || payload.length <= IDS_BYTES) return null;
  return { ...refOf(payload), target: payload.toString('utf8', IDS_BYTES) };
}

/**
 * /u/<token>. Works for ever, also when contact and message are long deleted, so the address is inside; encrypted under an initial vector
 * that is the MAC of what it encrypts, so the same mail has the same link and nobody reads an address out of one.
 */
export function unsubscribeToken(config: Keys, { groupId, email, ...ref }: UnsubscribeRef): string {
  const group = (groupId ?? '').padEnd(GROUP_CHARS, ' ');
  const plain = Buffer.concat([idsOf(ref), Buffer.from(group + email, 'utf8')]);
  const key = signingKey(config);
  const mac = macOf(key, 'unsubscribe', plain);
  const cipher = createCipheriv('aes-256-ctr', key.encryption, mac);
  return Buffer.concat([mac, cipher.update(plain), cipher.final()]).toString('base64url');
}

export function readUnsubscribeToken(config: Keys, token: string): UnsubscribeRef | null {
  const bytes = bytesOf(token);
  if (!bytes || bytes.length <= MAC_BYTES + IDS_BYTES + GROUP_CHARS) return null;
  const mac = bytes.subarray(0, MAC_BYTES);
  for (const key of keysOf(config)) {
    const decipher = createDecipheriv('aes-256-ctr', key.encryption, mac);
    const plain = Buffer.concat([decipher.update(bytes.subarray(MAC_BYTES)), decipher.final()]);
    if (!timingSafeEqual(mac, macOf(key, 'unsubscribe', plain))) continue;
    const text = plain.toString('utf8', IDS_BYTES);
    return { ...refOf(plain), groupId: text.slice(0, GROUP_CHARS).trim() || null, email: text.slice(GROUP_CHARS) };
  }
  return null;
}

/** The local part of a return path (b) or of the address in List-Unsubscribe (u). Letters of one case, because mail servers change it. */
export function mailLocalPart(config: Keys, kind: 'b' | 'u', ref: MailRef): string {
  const ids = idsOf(ref);
  return `${kind}+${base32(ids)}-${addressMac(signingKey(config), kind, ids)}`;
}

export function readMailLocalPart(config: Keys, localPart: string): (MailRef & { kind: 'b' | 'u' }) | null {
  const match = /^([bu])\+([a-z2-7]{39})-([0-9a-f]{12})$/.exec(localPart.toLowerCase());
  const kind = match?.[1] as 'b' | 'u' | undefined;
  const ids = match && fromBase32(match[2] as string);
  if (!kind || !ids) return null;
  const given = Buffer.from(match[3] as string);
  const right = keysOf(config).some((key) => timingSafeEqual(given, Buffer.from(addressMac(key, kind, ids))));
  return right ? { kind, ...refOf(ids) } : null;
}

function verified(config: Keys, purpose: string, bytes: Buffer): Buffer | null {
  if (bytes.length <= MAC_BYTES) return null;
  const payload = bytes.subarray(MAC_BYTES);
  const mac = bytes.subarray(0, MAC_BYTES);
  return keysOf(config).some((key) => timingSafeEqual(mac, macOf(key, purpose, payload))) ? payload : null;
}

/** Only the one way in which we write it: base64url has spare bits at the end, and a token that was changed there would else still pass. */
function bytesOf(token: string): Buffer | null {
  if (token.length > TOKEN_LENGTH_MAX || !TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  return bytes.toString('base64url') === token ? bytes : null;
}

function macOf(key: Key, purpose: string, payload: Buffer): Buffer {
  return hmac(key, Buffer.concat([Buffer.from(`${purpose}\u0000`), payload])).subarray(0, MAC_BYTES);
}

/**
 * RFC 2104 with the key's two blocks made ready: five of these for every mail. createHmac costs ten times as much, and a digest that is
 * asked for as a Buffer twice as much as one that is copied out of a string.
 */
function hmac({ inner, outer }: Pick<Key, 'inner' | 'outer'>, message: Buffer): Buffer {
  outer.write(hash('sha256', Buffer.concat([inner, message]), 'binary'), BLOCK_BYTES, 'latin1');
  return Buffer.from(hash('sha256', outer, 'binary'), 'latin1');
}

function addressMac(key: Key, kind: string, ids: Buffer): string {
  return macOf(key, `address ${kind}`, ids).toString('hex').slice(0, ADDRESS_MAC_HEX);
}

interface Key {
  inner: Buffer;
  /** With room for the inner digest behind it. */
  outer: Buffer;
  /** For the text of an unsubscribe token; as a KeyObject, since a cipher that is given bytes takes five times as long to begin. */
  encryption: KeyObject;
}

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const derived = new WeakMap<readonly string[], Key[]>();

/** The first one signs, all of them are understood: links outlive the change of a key as long as the old one is named. */
function keysOf({ secretKeys }: Keys): Key[] {
  const known = derived.get(secretKeys);
  if (known) return known;
  const keys = secretKeyBytes({ secretKeys }).map((bytes) => {
    const encryption = createSecretKey(hmac(macKey(bytes), Buffer.from('everpost unsubscribe encryption')));
    return { ...macKey(hmac(macKey(bytes), Buffer.from('everpost links'))), encryption };
  });
  derived.set(secretKeys, keys);
  return keys;
}

function signingKey(config: Keys): Key {
  const [first] = keysOf(config);
  if (!first) throw new Error('SECRET_KEYS names no key, so no link can be signed. Set it to name:base64 of 32 bytes.');
  return first;
}

/** Of 64 bytes at most, as RFC 2104 wants it. */
function macKey(bytes: Buffer): Pick<Key, 'inner' | 'outer'> {
  const padded = Buffer.alloc(BLOCK_BYTES);
  bytes.copy(padded);
  const masked = (mask: number) => Buffer.from(padded.map((byte) => byte ^ mask));
  return { inner: masked(0x36), outer: Buffer.concat([masked(0x5c), Buffer.alloc(DIGEST_BYTES)]) };
}

function idsOf({ projectId, messageId }: MailRef): Buffer {
  return Buffer.concat([projectId.id, messageId.id]);
}

function refOf(payload: Buffer): MailRef {
  const projectId = new ObjectId(payload.subarray(0, 12));
  return { projectId, messageId: new ObjectId(payload.subarray(12, IDS_BYTES)) };
}

function base32(bytes: Buffer): string {
  let out = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) out += BASE32[(value >> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? out + BASE32[(value << (5 - bits)) & 31] : out;
}

function fromBase32(text: string): Buffer | null {
  const bytes: number[] = [];
  let value = 0;
  let bits = 0;
  for (const letter of text) {
    value = (value << 5) | BASE32.indexOf(letter);
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push(value >> bits);
      value &= (1 << bits) - 1;
    }
  }
  const out = Buffer.from(bytes);
  return out.length === IDS_BYTES && base32(out) === text ? out : null;
}
