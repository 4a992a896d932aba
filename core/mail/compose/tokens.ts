import { createCipheriv, createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type { Config } from '../../../schemas/config.ts';
import { secretKeyBytes } from '../../base/secrets.ts';

/** The mail that a link or an address belongs to. */
export interface MailRef {
  projectId: ObjectId;
  messageId: ObjectId;
}

/** The mail of an address in List-Unsubscribe, with its group as in its link. Addresses of earlier versions hold no group. */
export interface UnsubscribeAddressRef extends MailRef {
  groupId?: string | null;
}

export interface UnsubscribeRef extends MailRef {
  /** null: the mail names no group. */
  groupId: string | null;
  email: string;
}

const PREVIEW_KINDS = ['draft', 'email', 'inbound'] as const;

/** The subject of a preview, and its end. */
export interface PreviewRef {
  projectId: ObjectId;
  kind: (typeof PREVIEW_KINDS)[number];
  id: ObjectId;
  withPictures: boolean;
  until: Date;
}

type Keys = Pick<Config, 'secretKeys'>;

const IDS_BYTES = 24;
const NUMBER_BYTES = 2;
const PREVIEW_BYTES = IDS_BYTES + 1 + 1 + 4;
const MAC_BYTES = 16;
const HASH_BLOCK_BYTES = 64;
const ADDRESS_MAC_HEX = 12;
const GROUP_CHARS = 6;
const TOKEN_LENGTH_MAX = 8_192;
const TOKEN = /^[A-Za-z0-9_-]+$/;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** /t/o/<token>.gif */
export function openToken(config: Keys, ref: MailRef): string {
  const ids = idsOf(ref);
  return signedToken(config, 'open', ids);
}

export function readOpenToken(config: Keys, token: string): MailRef | null {
  const payload = readSignedToken(config, 'open', token);
  return payload?.length === IDS_BYTES ? refOf(payload) : null;
}

/** /v/<token> */
export function viewToken(config: Keys, ref: MailRef): string {
  const ids = idsOf(ref);
  return signedToken(config, 'view', ids);
}

export function readViewToken(config: Keys, token: string): MailRef | null {
  const payload = readSignedToken(config, 'view', token);
  return payload?.length === IDS_BYTES ? refOf(payload) : null;
}

/**
 * /t/c/<token>. The target is inside the token, under the signature: no parameter ever chooses it, and it works while the
 * database is down.
 */
export function clickToken(config: Keys, ref: MailRef, target: string, link?: number): string {
  return clickTokens(config, target, link)(ref);
}

/** The tokens of a link for many mails: their common part is made once. */
export function clickTokens(config: Keys, target: string, link?: number): (ref: MailRef) => string {
  const purpose = link === undefined ? 'click' : 'link';
  const shared = Buffer.concat([...(link === undefined ? [] : [numberOf(link)]), Buffer.from(target, 'utf8')]);
  return ({ projectId, messageId }) => {
    const payload = Buffer.concat([projectId.id, messageId.id, shared]);
    return Buffer.concat([macOf(signingKey(config), purpose, payload), payload]).toString('base64url');
  };
}

/** `link` is the number of the link in the content; tokens of earlier versions and of links in data have none. */
export function readClickToken(config: Keys, token: string): (MailRef & { target: string; link?: number }) | null {
  const bytes = bytesOf(token);
  const numbered = bytes && verified(config, 'link', bytes);
  if (numbered) {
    if (numbered.length <= IDS_BYTES + NUMBER_BYTES) return null;
    const target = numbered.toString('utf8', IDS_BYTES + NUMBER_BYTES);
    return { ...refOf(numbered), target, link: numbered.readUInt16BE(IDS_BYTES) };
  }
  const payload = bytes && verified(config, 'click', bytes);
  if (!payload || payload.length <= IDS_BYTES) return null;
  return { ...refOf(payload), target: payload.toString('utf8', IDS_BYTES) };
}

/**
 * /u/<token> and /p/<token>. Works for ever, also when contact and message were deleted long ago, so the address is inside. It is encrypted with
 * its own MAC as the initial vector, so the same mail has the same link and the address cannot be read from it.
 */
export function unsubscribeToken(config: Keys, { groupId, email, ...ref }: UnsubscribeRef): string {
  const plain = Buffer.concat([idsOf(ref), Buffer.from(textOf(groupId) + email, 'utf8')]);
  const key = signingKey(config);
  const mac = macOf(key, 'unsubscribe', plain);
  return Buffer.concat([mac, ctr(key, mac, plain)]).toString('base64url');
}

export function readUnsubscribeToken(config: Keys, token: string): UnsubscribeRef | null {
  const bytes = bytesOf(token);
  if (!bytes || bytes.length <= MAC_BYTES + IDS_BYTES + GROUP_CHARS) return null;
  const mac = bytes.subarray(0, MAC_BYTES);
  for (const key of keysOf(config)) {
    const plain = ctr(key, mac, bytes.subarray(MAC_BYTES));
    if (!timingSafeEqual(mac, macOf(key, 'unsubscribe', plain))) continue;
    const text = plain.toString('utf8', IDS_BYTES);
    return { ...refOf(plain), groupId: groupIn(text), email: text.slice(GROUP_CHARS) };
  }
  return null;
}

/** /previews/<token> */
export function previewToken(config: Keys, { projectId, kind, id, withPictures, until }: PreviewRef): string {
  const facts = Buffer.alloc(PREVIEW_BYTES - IDS_BYTES);
  facts.writeUInt8(PREVIEW_KINDS.indexOf(kind));
  facts.writeUInt8(withPictures ? 1 : 0, 1);
  facts.writeUInt32BE(Math.floor(until.getTime() / 1000), 2);
  const payload = Buffer.concat([projectId.id, id.id, facts]);
  return signedToken(config, 'preview', payload);
}

export function readPreviewToken(config: Keys, token: string): PreviewRef | null {
  const payload = readSignedToken(config, 'preview', token);
  if (payload?.length !== PREVIEW_BYTES) return null;
  const { projectId, messageId: id } = refOf(payload);
  const kind = PREVIEW_KINDS[payload.readUInt8(IDS_BYTES)]!;
  const until = new Date(payload.readUInt32BE(IDS_BYTES + 2) * 1000);
  return { projectId, kind, id, withPictures: payload.readUInt8(IDS_BYTES + 1) === 1, until };
}

/**
 * The local part of a return path (b) or of the address in List-Unsubscribe (u). Letters of one case, because mail servers change
 * it.
 */
export function mailLocalPart(config: Keys, kind: 'b' | 'u', { groupId, ...ref }: UnsubscribeAddressRef): string {
  return mailLocalParts(config, kind, groupId)(ref);
}

/** Those of many mails: their common part is made once. With the group they have 63 of the 64 characters that SMTP allows. */
export function mailLocalParts(config: Keys, kind: 'b' | 'u', groupId?: string | null): (ref: MailRef) => string {
  const shared = Buffer.from(groupId === undefined ? '' : textOf(groupId));
  return ({ projectId, messageId }) => {
    const payload = Buffer.concat([projectId.id, messageId.id, shared]);
    return `${kind}+${base32(payload)}-${addressMac(signingKey(config), kind, payload)}`;
  };
}

export function readMailLocalPart(
  config: Keys,
  localPart: string,
): (UnsubscribeAddressRef & { kind: 'b' | 'u' }) | null {
  const match = /^([bu])\+([a-z2-7]{39}|[a-z2-7]{48})-([0-9a-f]{12})$/.exec(localPart.toLowerCase());
  const kind = match?.[1] as 'b' | 'u' | undefined;
  const payload = match && fromBase32(match[2] as string);
  if (!kind || !payload) return null;
  const given = Buffer.from(match[3] as string);
  const right = keysOf(config).some((key) => timingSafeEqual(given, Buffer.from(addressMac(key, kind, payload))));
  if (!right) return null;
  const group = payload.toString('utf8', IDS_BYTES);
  return { kind, ...refOf(payload), ...(group === '' ? {} : { groupId: groupIn(group) }) };
}

/** A token whose payload can be read by everybody, and written by us alone. */
export function signedToken(config: Keys, purpose: string, payload: Buffer): string {
  return Buffer.concat([macOf(signingKey(config), purpose, payload), payload]).toString('base64url');
}

export function readSignedToken(config: Keys, purpose: string, token: string): Buffer | null {
  const bytes = bytesOf(token);
  return bytes && verified(config, purpose, bytes);
}

function verified(config: Keys, purpose: string, bytes: Buffer): Buffer | null {
  if (bytes.length <= MAC_BYTES) return null;
  const payload = bytes.subarray(MAC_BYTES);
  const mac = bytes.subarray(0, MAC_BYTES);
  return keysOf(config).some((key) => timingSafeEqual(mac, macOf(key, purpose, payload))) ? payload : null;
}

/** Accepts only our own encoding: base64url has spare bits at the end, and a token changed there would pass otherwise. */
function bytesOf(token: string): Buffer | null {
  if (token.length > TOKEN_LENGTH_MAX || !TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  return bytes.toString('base64url') === token ? bytes : null;
}

/** HMAC-SHA256 as in RFC 2104: two whole hashes cost a third of an Hmac of Node, and a mail has five. */
function macOf({ inner, outer }: Key, purpose: string, payload: Buffer): Buffer {
  const within = hashed(Buffer.concat([inner, Buffer.from(`${purpose}\u0000`), payload]));
  return hashed(Buffer.concat([outer, within])).subarray(0, MAC_BYTES);
}

/** A text costs half as much as a buffer to come out of the native code. */
function hashed(bytes: Buffer): Buffer {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'latin1');
}

/** Enciphers and deciphers. */
function ctr(key: Key, initial: Buffer, text: Buffer): Buffer {
  return createCipheriv('aes-256-ctr', key.encryption, initial).update(text);
}

function addressMac(key: Key, kind: string, payload: Buffer): string {
  return macOf(key, `address ${kind}`, payload).toString('hex', 0, ADDRESS_MAC_HEX / 2);
}

interface Key {
  /** The key of the MAC, as it is hashed before the text and before the hash of both. */
  inner: Buffer;
  outer: Buffer;
  encryption: KeyObject;
}

const derived = new WeakMap<readonly string[], Key[]>();

/** The first key signs, all are accepted: links stay valid after a change of keys as long as the old one is listed. */
function keysOf({ secretKeys }: Keys): Key[] {
  const known = derived.get(secretKeys);
  if (known) return known;
  const keys = secretKeyBytes({ secretKeys }).map((bytes) => {
    const mac = derive(bytes, 'everpost links');
    return {
      inner: padded(mac, 0x36),
      outer: padded(mac, 0x5c),
      // Given bytes, createCipheriv first determines their type, which costs five times as much as the cipher.
      encryption: createSecretKey(derive(bytes, 'everpost unsubscribe encryption')),
    };
  });
  derived.set(secretKeys, keys);
  return keys;
}

function signingKey(config: Keys): Key {
  const [first] = keysOf(config);
  if (!first) throw new Error('SECRET_KEYS names no key, so no link can be signed. Set it to name:base64 of 32 bytes.');
  return first;
}

function derive(secret: Buffer, purpose: string): Buffer {
  return createHmac('sha256', secret).update(purpose).digest();
}

function padded(key: Buffer, pad: number): Buffer {
  return Buffer.from(Buffer.alloc(HASH_BLOCK_BYTES, pad).map((byte, at) => byte ^ (key[at] ?? 0)));
}

function idsOf({ projectId, messageId }: MailRef): Buffer {
  return Buffer.concat([projectId.id, messageId.id]);
}

/** null: blanks. */
function textOf(groupId: string | null): string {
  return (groupId ?? '').padEnd(GROUP_CHARS, ' ');
}

function groupIn(text: string): string | null {
  return text.slice(0, GROUP_CHARS).trim() || null;
}

function numberOf(link: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES);
  bytes.writeUInt16BE(link);
  return bytes;
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
  return base32(out) === text ? out : null;
}
