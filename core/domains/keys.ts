import { createHash, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Collection, ObjectId } from 'mongodb';
import { openSecret, replaceSealed, type SecretKind, type SecretOwner, sealSecret } from '../base/secrets.ts';
import type { DomainsDeps } from './deps.ts';
import type { DkimKeys, Domain } from './model.ts';

type Owner = Pick<Domain, '_id' | 'projectId'>;

const makeKeyPair = promisify(generateKeyPair);
const MODULUS_BITS = 2_048;

/** The selector is the domain's own, so that a domain that is added again does not ask for a change of the old record. */
export async function makeDkimKeys({ config }: Pick<DomainsDeps, 'config'>, owner: Owner): Promise<DkimKeys> {
  const pair = await makeKeyPair('rsa', {
    modulusLength: MODULUS_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    selector: `ep${owner._id.toHexString().slice(-8)}`,
    publicKey: pair.publicKey.toString('base64'),
    privateKey: sealSecret(config, dkimContext(owner), pair.privateKey),
  };
}

/** PEM, for signing only: no answer, log or history ever holds it. */
export function openDkimKey({ config }: Pick<DomainsDeps, 'config'>, domain: Owner & Pick<Domain, 'dkim'>): string {
  return openSecret(config, dkimContext(domain), domain.dkim.privateKey);
}

/** The same value when a project adds the name again, so that the record may stay. */
export function ownershipValue(projectId: ObjectId, domainName: string): string {
  const digest = createHash('sha256')
    .update(`ownership\u0000${projectId.toHexString()}\u0000${domainName}`)
    .digest('hex');
  return `everpost-verification=${digest.slice(0, 32)}`;
}

export function dkimContext({ _id, projectId }: Owner): string[] {
  return ['dkim', projectId.toHexString(), _id.toHexString()];
}

export const dkimSecrets: SecretKind<DomainsDeps> = {
  name: 'DKIM key',
  path: 'dkim.privateKey',
  stored: ({ db }) => db.domains as unknown as Collection<SecretOwner>,
  contextOf: dkimContext,
  replace: ({ db }, owner, from, to) => replaceSealed(db.domains, 'dkim.privateKey', owner, { from, to }),
};
