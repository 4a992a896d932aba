import type { Sealed } from '../base/model.ts';
import {
  openSecret,
  SecretError,
  type SecretKind,
  type SecretOwner,
  sealSecret,
  secretKeyNames,
} from '../base/secrets.ts';
import { dkimEd25519Secrets, dkimSecrets } from '../domains/keys.ts';
import { headerSecrets } from '../events/webhook-headers.ts';
import { previousSecrets, webhookSecrets } from '../events/webhook-secrets.ts';
import { providerKeys } from '../migrations/keys.ts';
import type { AccountsDeps } from './deps.ts';

interface StoredSecret extends SecretOwner {
  sealed: Sealed;
}

/** `changed`: another process replaced or deleted the secret first. `unopened`: SECRET_KEYS does not name its key, or it is damaged. */
type Resealing = 'resealed' | 'changed' | 'unopened';
type ResealCounts = Record<Resealing | 'current', number> & { kind: string };

/** All secrets that are sealed by core/base/secrets.ts and stored in MongoDB, but for those of links, which live for a day at most. */
export const secretKinds: ReadonlyArray<SecretKind<AccountsDeps>> = [
  dkimSecrets,
  dkimEd25519Secrets,
  webhookSecrets,
  previousSecrets,
  headerSecrets,
  providerKeys,
];

/** Seals the secrets of all projects with the first key. Other processes may read and replace them at the same time. */
export async function resealSecrets(deps: AccountsDeps): Promise<ResealCounts[]> {
  const [first] = secretKeyNames(deps.config);
  if (!first) throw new SecretError('SECRET_KEYS names no key, so nothing can be sealed with it.');
  const all: ResealCounts[] = [];
  for (const kind of secretKinds) {
    const keyId = `${kind.path}.keyId`;
    const current = await kind.stored(deps).countDocuments({ [keyId]: first });
    const counts = { kind: `${kind.name}s`, resealed: 0, current, changed: 0, unopened: 0 };
    const older = { [keyId]: { $exists: true, $ne: first } };
    for await (const secret of readSecrets(deps, kind, older)) counts[await resealSecret(deps, kind, secret)]++;
    all.push(counts);
  }
  return all;
}

export async function resealSecret(
  deps: AccountsDeps,
  kind: SecretKind<AccountsDeps>,
  secret: StoredSecret,
): Promise<Resealing> {
  const { sealed } = secret;
  let again: Sealed;
  try {
    const context = await kind.contextOf(secret, deps);
    again = sealSecret(deps.config, context, openSecret(deps.config, context, sealed));
  } catch (error) {
    if (error instanceof SecretError) return 'unopened';
    throw error;
  }
  return (await kind.replace(deps, secret, sealed, again)) ? 'resealed' : 'changed';
}

/** A sentence with the number of secrets whose key SECRET_KEYS does not name; null: all of them can be opened. */
export async function findUnnamedKeys(deps: AccountsDeps): Promise<string | null> {
  const unnamed = { $exists: true, $nin: secretKeyNames(deps.config) };
  const found: string[] = [];
  for (const kind of secretKinds) {
    const keyId = `${kind.path}.keyId`;
    const groups = kind
      .stored(deps)
      .aggregate<{ _id: string; count: number }>([
        { $match: { [keyId]: unnamed } },
        { $group: { _id: `$${keyId}`, count: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ]);
    for (const { _id, count } of await groups.toArray()) found.push(`${plural(kind.name, count)} (${_id})`);
  }
  if (found.length === 0) return null;
  return `SECRET_KEYS does not name the keys of ${found.join(', ')}. Name these keys again behind the first one; docs/operators/secret-keys.md says how a key is replaced.`;
}

function readSecrets(deps: AccountsDeps, kind: SecretKind<AccountsDeps>, filter: object): AsyncIterable<StoredSecret> {
  const project = { projectId: 1, sealed: `$${kind.path}` };
  return kind.stored(deps).aggregate<StoredSecret>([{ $match: filter }, { $project: project }]);
}

function plural(name: string, count: number): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
