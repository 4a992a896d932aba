import type { ObjectId } from 'mongodb';
import { type AppError, notFound, unavailable, unprocessable } from '../base/errors.ts';
import type { Project } from '../base/model.ts';
import type { SuppressionGroup } from '../consent/suppressions/model.ts';
import type { MigrationsDeps } from './deps.ts';
import type { MigrationProvider } from './model.ts';
import { type MigratedTemplate, migrateTemplates } from './phases/templates.ts';
import { keepPlan, planA, planB } from './preview.ts';
import { openSource, SourceError } from './source.ts';
import { makeGroupFor, suppressAddresses } from './target.ts';

/** Short, because a person waits for these answers: a failing source is reported soon. */
const PATIENCE_MS = 5_000;

type Tenant = Pick<Project, '_id'>;

interface Caller {
  key: string;
  signal: AbortSignal;
}

export function planFromA(deps: MigrationsDeps, { key, signal }: Caller) {
  return answered(planA(deps.sources.openA({ key, signal, patienceMs: PATIENCE_MS })));
}

/** A complete count is kept, to be shown next to the number that a migration of the account reads. */
export async function planFromB(deps: MigrationsDeps, project: Tenant, { key, signal }: Caller) {
  const plan = await answered(planB(deps.sources.openB({ key, signal, patienceMs: PATIENCE_MS })));
  if (plan.countsComplete) await keepPlan(deps, project, key, plan.unsubscribedContacts);
  return plan;
}

/** The templates that the call names, in its time. */
export function migrateTemplatesNow(
  deps: MigrationsDeps,
  project: Tenant,
  provider: MigrationProvider,
  { key, signal, ...wish }: Caller & { templateIds: string[]; update: boolean; origin: { seed: ObjectId } },
): Promise<MigratedTemplate[]> {
  const wait = { signal, patienceMs: PATIENCE_MS };
  const source = openSource(deps.sources, provider, { key, ...wait });
  return answered(migrateTemplates(deps, project, source, { ...wish, ...wait }));
}

export interface MigratedGroup {
  group: SuppressionGroup;
  created: boolean;
  /** null: only the group was requested. */
  importedEmails: number | null;
}

export async function migrateGroupNow(
  deps: MigrationsDeps,
  project: Tenant,
  {
    key,
    signal,
    groupId,
    withEmails,
    origin,
  }: Caller & { groupId: string; withEmails: boolean; origin: { seed: ObjectId } },
): Promise<MigratedGroup> {
  const source = deps.sources.openA({ key, signal, patienceMs: PATIENCE_MS });
  const read = async () => {
    const found = await source.readGroup(groupId);
    return { found, emails: withEmails ? await source.listGroupAddresses(found) : null };
  };
  const { found, emails } = await answered(read(), () => notFound('SUPPRESSION_GROUP', 'unsubscribeGroupId'));
  const owner = { projectId: project._id, provider: 'providerA' as const, createdBy: origin.seed };
  const { group, status } = await makeGroupFor(deps, owner, found);
  const imported = emails && (await suppressAddresses(deps, owner, group.groupId, emails));
  return { group, created: status === 'created', importedEmails: imported?.suppressed ?? null };
}

/** Translates errors of the source into those of this interface. */
async function answered<T>(reading: Promise<T>, whenUnknown?: () => AppError): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    switch (error.kind) {
      case 'invalid_key':
      case 'forbidden':
        throw unprocessable('INVALID_PROVIDER_KEY', error.message);
      case 'not_found':
        if (whenUnknown) throw whenUnknown();
        throw unavailable(error.message);
      default:
        throw unavailable(error.message, 5);
    }
  }
}
