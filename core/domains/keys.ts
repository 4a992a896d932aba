import { createHash, generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { ObjectId } from 'mongodb';
import type { Sealed } from '../base/model.ts';
import { openSecret, sealSecret, secretKind } from '../base/secrets.ts';
import type { DomainsDeps } from './deps.ts';
import type { DkimKeys, Domain } from './model.ts';

type Owner = Pick<Domain, '_id' | 'projectId'>;
type KeyField = 'dkim' | 'dkimEd25519';

const makeKeyPair = promisify(generateKeyPair);
const MODULUS_BITS = 2_048;
const ED25519_KEY_BYTES = 32;

/** Both selectors are the domain's own, so that a domain that is added again does not ask for a change of the old records. */
export async function makeDkimKeys(
  { config }: Pick<DomainsDeps, 'config'>,
  owner: Owner,
): Promise<Required<Pick<Domain, 'dkim' | 'dkimEd25519'>>> {
  const { publicKey, privateKey } = await makeKeyPair('rsa', { modulusLength: MODULUS_BITS });
  return {
    dkim: {
      selector: selectorOf(owner),
      publicKey: derOf(publicKey).toString('base64'),
      privateKey: sealDkimKey({ config }, owner, 'dkim', privateKey),
    },
    dkimEd25519: makeEd25519Keys({ config }, owner),
  };
}

/** Takes a tenth of a millisecond. */
export function makeEd25519Keys({ config }: Pick<DomainsDeps, 'config'>, owner: Owner): DkimKeys {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    selector: `${selectorOf(owner)}e`,
    // RFC 8463 4: the record has the key without the DER form around it.
    publicKey: derOf(publicKey).subarray(-ED25519_KEY_BYTES).toString('base64'),
    privateKey: sealDkimKey({ config }, owner, 'dkimEd25519', privateKey),
  };
}

export function sealDkimKey(
  { config }: Pick<DomainsDeps, 'config'>,
  owner: Owner,
  field: KeyField,
  privateKey: KeyObject,
): Sealed {
  return sealSecret(config, contexts[field](owner), privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
}

/** The private key is a PEM, for signing only: no answer, log or history ever holds it. Throws when the domain has no such key. */
export function openDkimKey(
  { config }: Pick<DomainsDeps, 'config'>,
  domain: Owner & Pick<Domain, KeyField>,
  field: KeyField,
): { selector: string; privateKey: string } {
  const keys = domain[field];
  if (!keys) throw new Error(`The domain has no ${field}.`);
  return { selector: keys.selector, privateKey: openSecret(config, contexts[field](domain), keys.privateKey) };
}

/** The same value when a project adds the name again, so that the record may stay. */
export function ownershipValue(projectId: ObjectId, domainName: string): string {
  const digest = createHash('sha256')
    .update(`ownership\u0000${projectId.toHexString()}\u0000${domainName}`)
    .digest('hex');
  return `everpost-verification=${digest.slice(0, 32)}`;
}

/** For what each key is sealed. */
const contexts: Record<KeyField, (owner: Owner) => string[]> = {
  dkim: ({ _id, projectId }) => ['dkim', projectId.toHexString(), _id.toHexString()],
  dkimEd25519: ({ _id, projectId }) => ['dkim ed25519', projectId.toHexString(), _id.toHexString()],
};

function derOf(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}

function selectorOf({ _id }: Owner): string {
  return `ep${_id.toHexString().slice(-8)}`;
}

export const dkimSecrets = secretsOf('dkim', 'DKIM key');
export const dkimEd25519Secrets = secretsOf('dkimEd25519', 'Ed25519 DKIM key');

function secretsOf(field: KeyField, name: string) {
  return secretKind(name, `${field}.privateKey`, ({ db }: DomainsDeps) => db.domains, contexts[field]);
}
