import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type { Scope } from '../../schemas/operations.ts';
import { insertOnce } from '../base/database/idempotent-insert.ts';
import { AppError, invalid, notFound } from '../base/errors.ts';
import { parseId } from '../base/ids.ts';
import { type By, madeBy } from '../base/maker.ts';
import type { Project } from '../base/model.ts';
import { normalizeDomain } from '../base/text/addresses.ts';
import type { AccountsDeps } from './deps.ts';
import type { ApiKey } from './model.ts';

export const KEYS_CHANGED = 'keys';
const KEY_FORM = /^ASA?_([A-Za-z0-9]{8})_[A-Za-z0-9]{32}$/i;
const CACHE_MS = 2_000;
const CACHE_SIZE_MAX = 10_000;
/** How often the use of a key is written, by all processes together. */
const USE_WRITTEN_EVERY_MS = 60_000;

export interface Identity {
  apiKey: ApiKey;
  /** null for admin keys. */
  project: Project | null;
}

export type Authenticate = ((key: string) => Promise<Identity | null>) & { stop(): void };

/** Remembers good keys for two seconds, so that a revoked key stops working in every process within five, with or without Redis. */
export function createAuthenticator(deps: AccountsDeps): Authenticate {
  const cache = new Map<string, { identity: Identity; until: number }>();
  const asking = new Map<string, Promise<Identity | null>>();
  const unsubscribe = deps.signals.subscribe(KEYS_CHANGED, () => cache.clear());

  async function authenticate(key: string): Promise<Identity | null> {
    const cached = cache.get(key);
    if (cached && cached.until > performance.now()) return cached.identity;
    const shortId = KEY_FORM.exec(key)?.[1];
    if (!shortId) return null;
    const identity = await askOnce(key, () => findIdentity(deps, shortId, hashKey(key)));
    if (!identity) return null;
    if (cache.size >= CACHE_SIZE_MAX) cache.clear();
    cache.set(key, { identity, until: performance.now() + CACHE_MS });
    return identity;
  }
  /** When the cached answer for a busy key expires, only one request reads it again. */
  function askOnce(key: string, ask: () => Promise<Identity | null>): Promise<Identity | null> {
    const asked = asking.get(key) ?? ask().finally(() => asking.delete(key));
    asking.set(key, asked);
    return asked;
  }
  return Object.assign(authenticate, { stop: unsubscribe });
}

async function findIdentity(deps: AccountsDeps, shortId: string, keyHash: Buffer): Promise<Identity | null> {
  const found = await deps.db.apiKeys.findOne({ shortId, revokedAt: null });
  const stored = found ? Buffer.from(found.hash.buffer ?? found.hash) : Buffer.alloc(keyHash.length);
  if (!timingSafeEqual(keyHash, stored) || !found) return null;
  const apiKey = { ...found, hash: stored };
  noteUse(deps, apiKey);
  if (!apiKey.projectId) return { apiKey, project: null };
  const project = await deps.db.projects.findOne({ _id: apiKey.projectId, deletedAt: null });
  return project && { apiKey, project };
}

/** No request waits for the write or fails with it. When several processes find an old time at once, the filter lets one write. */
function noteUse(deps: AccountsDeps, { _id, organizationId, lastUsedAt }: ApiKey): void {
  const now = deps.clock.now();
  const before = new Date(now.getTime() - USE_WRITTEN_EVERY_MS);
  if (lastUsedAt && lastUsedAt > before) return;
  const unlessRecent = { _id, organizationId, lastUsedAt: { $not: { $gt: before } } };
  deps.db.apiKeys.updateOne(unlessRecent, { $set: { lastUsedAt: now } }).catch(() => {});
}

interface NewApiKey extends By {
  organizationId: ObjectId;
  /** null: an admin key, whose scope is always full. */
  projectId: ObjectId | null;
  name: string;
  scope?: Scope | undefined;
  domainName?: string | undefined;
}

interface ShownKey {
  apiKey: ApiKey;
  /** The answer is the only place where it is ever shown in clear. */
  key: string;
}

export async function createApiKey(deps: AccountsDeps, input: NewApiKey): Promise<ShownKey> {
  const made = newApiKey(deps, input, new ObjectId());
  await deps.db.apiKeys.insertOne(made.apiKey);
  return made;
}

/**
 * The same under an id that a repeat of the request makes again. An earlier try may have answered its key, so a repeat leaves it as it is, and
 * has none to show.
 */
export async function createApiKeyOnce(
  deps: AccountsDeps,
  input: NewApiKey,
  _id: ObjectId,
): Promise<ShownKey | { apiKey: ApiKey; key: null }> {
  const made = newApiKey(deps, input, _id);
  const stored = await insertOnce(deps.db.apiKeys, made.apiKey, { organizationId: input.organizationId });
  return stored === made.apiKey ? made : { apiKey: stored, key: null };
}

function newApiKey(
  deps: AccountsDeps,
  { organizationId, projectId, name, by, ...limits }: NewApiKey,
  _id: ObjectId,
): ShownKey {
  const limited = readLimits(limits);
  const shortId = randomText(8);
  const key = `${projectId ? 'AS' : 'ASA'}_${shortId}_${randomText(32)}`;
  const apiKey = {
    _id,
    shortId,
    hash: hashKey(key),
    organizationId,
    projectId,
    name,
    ...limited,
    ...madeBy({ by }),
    createdAt: deps.clock.now(),
    revokedAt: null,
  };
  return { apiKey, key };
}

/** The domain need not be one of the project yet: scripts may make key and domain in either order. */
function readLimits({
  scope = 'full',
  domainName,
}: Pick<NewApiKey, 'scope' | 'domainName'>): Pick<ApiKey, 'scope' | 'domainName'> {
  if (domainName !== undefined && scope !== 'send')
    throw invalid(
      'domainName limits what a key may send, so it is taken with scope send alone.',
      'domainName: is allowed only with scope send',
    );
  if (scope === 'full') return {};
  if (domainName === undefined) return { scope };
  const name = normalizeDomain(domainName);
  if (!name)
    throw invalid(
      'domainName must be a domain name, for example news.example.com.',
      'domainName: must be a domain name',
    );
  return { scope, domainName: name };
}

export async function listApiKeys(
  deps: AccountsDeps,
  organizationId: ObjectId,
  projectId: ObjectId | null,
): Promise<ApiKey[]> {
  return deps.db.apiKeys.find({ organizationId, projectId, revokedAt: null }).sort({ _id: 1 }).toArray();
}

export async function revokeApiKey(deps: AccountsDeps, organizationId: ObjectId, apiKeyId: string): Promise<void> {
  const _id = parseId(apiKeyId);
  const { matchedCount } = _id
    ? await deps.db.apiKeys.updateOne(
        { _id, organizationId, revokedAt: null },
        { $set: { revokedAt: deps.clock.now() } },
      )
    : { matchedCount: 0 };
  if (matchedCount === 0) throw notFound('API_KEY');
  deps.signals.publish(KEYS_CHANGED, '');
}

export function unauthorized(): AppError {
  return new AppError('unauthorized', 'Send a valid API key: Authorization: Bearer <API_KEY>.', {
    code: 'UNAUTHORIZED',
  });
}

function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Bytes above the last whole multiple of 62 are dropped, so that every letter is equally likely. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length)
    for (const byte of randomBytes(length * 2)) if (byte < 248 && text.length < length) text += LETTERS[byte % 62];
  return text;
}
