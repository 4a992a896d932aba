import type { ObjectId } from 'mongodb';
import { DKIM_ALGORITHMS } from '../../../schemas/accounts/account.ts';
import { oncePerCore } from '../../base/deps.ts';
import type { DkimAlgorithm } from '../../base/model.ts';
import { ttlCache } from '../../base/work/cache.ts';
import { findVerifiedDomain } from '../../domains/domains.ts';
import { openDkimKey } from '../../domains/keys.ts';
import type { Domain } from '../../domains/model.ts';
import { mailFromName } from '../../domains/rules/records.ts';
import type { MailDeps } from '../deps.ts';
import type { DkimKey } from '../ledger/relay.ts';

/** The parts of a verified domain that sending needs. */
export interface SendingDomain {
  domain: Domain;
  /** Empty when the relay signs. */
  keys: DkimKey[];
  /** The host of return paths: the MAIL FROM name when it is verified, so that SPF is aligned. */
  returnHost: string;
}

const domains = oncePerCore(() => ttlCache<SendingDomain | null>({ keptMs: 1_000, sizeMax: 1_000 }));

/** Cached for a second: opening the key costs more than the mail. null: the project has no verified domain of that name. */
export function sendingDomain(deps: MailDeps, projectId: ObjectId, domainName: string): Promise<SendingDomain | null> {
  const key = `${projectId.toHexString()} ${domainName}`;
  return domains(deps).get(key, () => read(deps, projectId, domainName));
}

async function read(deps: MailDeps, projectId: ObjectId, domainName: string): Promise<SendingDomain | null> {
  const [domain, algorithms] = await Promise.all([
    findVerifiedDomain(deps, { _id: projectId }, domainName),
    algorithmsOf(deps, projectId),
  ]);
  if (!domain) return null;
  const keys = domain.dkimSigning === 'own' ? keysOf(deps, domain, algorithms) : [];
  const host = domain.mailFromEnabled ? mailFromName(domainName) : deps.config.mailHost;
  return { domain, keys, returnHost: /^[\d.]+$/.test(host) ? `[${host}]` : host };
}

async function algorithmsOf({ db }: MailDeps, projectId: ObjectId): Promise<readonly DkimAlgorithm[]> {
  const project = await db.projects.findOne({ _id: projectId }, { projection: { dkimAlgorithms: 1 } });
  return project?.dkimAlgorithms ?? DKIM_ALGORITHMS;
}

/** Never empty: while the record of the Ed25519 key is not found, RSA signs alone. */
function keysOf(deps: MailDeps, domain: Domain, algorithms: readonly DkimAlgorithm[]): DkimKey[] {
  const hasEd25519 = domain.dkimEd25519Enabled === true && algorithms.includes('ed25519-sha256');
  const hasRsa = algorithms.includes('rsa-sha256') || !hasEd25519;
  const keyOf = (field: 'dkim' | 'dkimEd25519') => ({
    domain: domain.domainName,
    ...openDkimKey(deps, domain, field),
  });
  return [...(hasRsa ? [keyOf('dkim')] : []), ...(hasEd25519 ? [keyOf('dkimEd25519')] : [])];
}
