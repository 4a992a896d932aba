import type { ObjectId } from 'mongodb';
import { oncePerCore } from '../../base/deps.ts';
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
  const domain = await findVerifiedDomain(deps, { _id: projectId }, domainName);
  if (!domain) return null;
  const { selector } = domain.dkim;
  const keys =
    domain.dkimSigning === 'own' ? [{ domain: domainName, selector, privateKey: openDkimKey(deps, domain) }] : [];
  const host = domain.mailFromEnabled ? mailFromName(domainName) : deps.config.mailHost;
  return { domain, keys, returnHost: /^[\d.]+$/.test(host) ? `[${host}]` : host };
}
