import type { ObjectId } from 'mongodb';
import type { Deps } from '../base/deps.ts';
import type { DkimKey } from '../outbox/relay.ts';
import { findVerifiedDomain } from './domains.ts';
import { openDkimKey } from './keys.ts';
import type { Domain } from './model.ts';
import { mailFromName } from './rules/records.ts';

/** The parts of a verified domain that sending needs. */
export interface SendingDomain {
  domain: Domain;
  /** Empty when the relay signs. */
  keys: DkimKey[];
  /** The host of return paths: the MAIL FROM name when it is verified, so that SPF is aligned. */
  returnHost: string;
}

const KEPT_MS = 1_000;
const KEPT_MAX = 1_000;

type Kept = { readMs: number; value: Promise<SendingDomain | null> };
const kept = new WeakMap<object, Map<string, Kept>>();

/** Cached for a second: opening the key costs more than the mail. null: the project has no verified domain of that name. */
export function sendingDomain(deps: Deps, projectId: ObjectId, domainName: string): Promise<SendingDomain | null> {
  const known = kept.get(deps.db) ?? new Map<string, Kept>();
  kept.set(deps.db, known);
  const key = `${projectId.toHexString()} ${domainName}`;
  const entry = known.get(key);
  if (entry && performance.now() - entry.readMs < KEPT_MS) return entry.value;
  if (known.size >= KEPT_MAX) known.clear();
  const value = read(deps, projectId, domainName);
  known.set(key, { readMs: performance.now(), value });
  value.catch(() => known.delete(key));
  return value;
}

async function read(deps: Deps, projectId: ObjectId, domainName: string): Promise<SendingDomain | null> {
  const domain = await findVerifiedDomain(deps, { _id: projectId }, domainName);
  if (!domain) return null;
  const { selector } = domain.dkim;
  const keys =
    domain.dkimSigning === 'own' ? [{ domain: domainName, selector, privateKey: openDkimKey(deps, domain) }] : [];
  const host = domain.mailFromEnabled ? mailFromName(domainName) : deps.config.mailHost;
  return { domain, keys, returnHost: /^[\d.]+$/.test(host) ? `[${host}]` : host };
}
