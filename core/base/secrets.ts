import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { Binary, type Collection, type Filter, type ObjectId } from 'mongodb';
import type { Config } from '../../schemas/config.ts';
import type { Sealed } from './model.ts';

/**
 * A secret that cannot be opened: sealed for another context, changed since, or under a key that this installation does not have.
 */
export class SecretError extends Error {}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;

/** Sealed for `context` alone: the same bytes do not open in another project or job. */
export function sealSecret(config: Pick<Config, 'secretKeys'>, context: string[], secret: string): Sealed {
  const [first] = secretKeys(config);
  if (!first)
    throw new SecretError('SECRET_KEYS names no key, so nothing can be sealed. Set it to name:base64 of 32 bytes.');
  const [keyId, key] = first;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(contextBytes(context));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return { keyId, nonce: new Binary(nonce), tag: new Binary(cipher.getAuthTag()), text: new Binary(text) };
}

export function openSecret(config: Pick<Config, 'secretKeys'>, context: string[], sealed: Sealed): string {
  const key = new Map(secretKeys(config)).get(sealed.keyId);
  if (!key)
    throw new SecretError(`The secret was sealed with the key ${sealed.keyId}, which SECRET_KEYS does not name.`);
  try {
    const decipher = createDecipheriv(ALGORITHM, key, sealed.nonce.buffer)
      .setAAD(contextBytes(context))
      .setAuthTag(sealed.tag.buffer);
    return Buffer.concat([decipher.update(sealed.text.buffer), decipher.final()]).toString('utf8');
  } catch {
    throw new SecretError('The sealed secret does not open: it was changed, or sealed for something else.');
  }
}

/** The name of the sealing key comes first. */
export function secretKeyNames(config: Pick<Config, 'secretKeys'>): string[] {
  return secretKeys(config).map(([name]) => name);
}

/** The bytes from which other keys are derived, the first key first. */
export function secretKeyBytes(config: Pick<Config, 'secretKeys'>): Buffer[] {
  return secretKeys(config).map(([, key]) => key);
}

/**
 * Replaces the address of a deleted contact: the same for the same address of a project, and impossible to look up without our
 * key.
 */
export function hashOfErased(
  { config }: { config: Pick<Config, 'secretKeys'> },
  projectId: ObjectId,
  email: string,
): string {
  const [first] = hashesOfErased({ config }, projectId, email);
  if (!first) throw new Error('SECRET_KEYS names no key.');
  return first;
}

/** By each key of SECRET_KEYS: an address that was erased before the keys were changed has the hash of an earlier one. */
export function hashesOfErased(
  { config }: { config: Pick<Config, 'secretKeys'> },
  projectId: ObjectId,
  email: string,
): string[] {
  const text = `erased address\u0000${projectId.toHexString()}\u0000${email}`;
  return secretKeyBytes(config).map((key) => createHmac('sha256', key).update(text).digest('hex'));
}

function contextBytes(context: string[]): Buffer {
  return Buffer.from(context.join('\u0000'));
}

function secretKeys({ secretKeys: entries }: Pick<Config, 'secretKeys'>): [string, Buffer][] {
  const keys = entries.map((entry): [string, Buffer] => {
    const [keyId = '', text = ''] = entry.split(/:(.*)/s);
    const key = Buffer.from(text, 'base64');
    if (keyId === '' || key.length !== KEY_BYTES)
      throw new SecretError('Each entry of SECRET_KEYS must be a name, a colon and the base64 of 32 bytes.');
    return [keyId, key];
  });
  const repeated = keys.find(([name], index) => keys.findIndex(([other]) => other === name) < index);
  if (repeated) throw new SecretError(`SECRET_KEYS names ${repeated[0]} twice; give each key a name of its own.`);
  return keys;
}

/** The document that holds a secret. */
export interface SecretOwner {
  _id: ObjectId;
  projectId: ObjectId;
}

/** Stored secrets of one kind. */
export interface SecretKind<Own> {
  name: string;
  path: string;
  stored(deps: Own): Collection<SecretOwner>;
  contextOf(owner: SecretOwner, deps: Own): string[] | Promise<string[]>;
  /** Compare-and-set on the sealed value. false: another process replaced or deleted it since. */
  replace(deps: Own, owner: SecretOwner, from: Sealed, to: Sealed): Promise<boolean>;
}

/** As the room that owns their collection describes them. */
export function secretKind<Own, Doc extends SecretOwner>(
  name: string,
  path: string,
  collectionOf: (deps: Own) => Collection<Doc>,
  contextOf: SecretKind<Own>['contextOf'],
): SecretKind<Own> {
  const stored = (deps: Own) => collectionOf(deps) as unknown as Collection<SecretOwner>;
  return {
    ...{ name, path, stored, contextOf },
    async replace(deps, { _id, projectId }, from, to) {
      const same = { _id, projectId, [path]: from } as Filter<SecretOwner>;
      const { matchedCount } = await stored(deps).updateOne(same, { $set: { [path]: to } });
      return matchedCount === 1;
    },
  };
}
