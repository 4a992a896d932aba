import { unavailable } from '../base/errors.ts';
import type { Sealed, Session } from '../base/model.ts';
import { openSecret, SecretError, sealSecret, secretKind } from '../base/secrets.ts';
import { DAY_MS } from '../base/time/durations.ts';
import type { MigrationsDeps } from './deps.ts';
import type { Migration } from './model.ts';
import { SourceError } from './source.ts';

/** How long the key of a failed job is kept, so that a retry need not give it again. */
const KEPT_AFTER_FAILURE_MS = 3 * DAY_MS;

type Job = Pick<Migration, '_id' | 'projectId' | 'provider'>;

/** Sealed for this project and job alone, before the run starts. */
export async function keepKey(deps: MigrationsDeps, job: Job, key: string, session: Session): Promise<void> {
  const sealed = sealOrRefuse(deps, job, key);
  await deps.db.migrationSecrets.updateOne(
    { _id: job._id, projectId: job.projectId },
    { $set: { sealed, expiresAt: null } },
    { upsert: true, session },
  );
}

/** Without a key to seal with the job is refused: the provider key would have to be stored in clear. */
function sealOrRefuse(deps: MigrationsDeps, job: Job, key: string): Sealed {
  try {
    return sealSecret(deps.config, contextOf(job), key);
  } catch (error) {
    if (error instanceof SecretError) throw unavailable(error.message, 60);
    throw error;
  }
}

/** Opened in activities only. A key that is gone or cannot be opened counts as a bad key: the run holds until it gets another. */
export async function openKey(deps: MigrationsDeps, job: Job): Promise<string> {
  const secret = await deps.db.migrationSecrets.findOne({ _id: job._id, projectId: job.projectId });
  if (!secret) throw new SourceError('invalid_key', 'The provider key of this job is gone; retry it with apiKey.');
  try {
    return openSecret(deps.config, contextOf(job), secret.sealed);
  } catch (error) {
    if (error instanceof SecretError)
      throw new SourceError('invalid_key', `${error.message} Retry the job with apiKey.`);
    throw error;
  }
}

export async function hasKey(deps: MigrationsDeps, job: Job): Promise<boolean> {
  return (await deps.db.migrationSecrets.countDocuments({ _id: job._id, projectId: job.projectId }, { limit: 1 })) > 0;
}

/** After the document is deleted the key cannot be recovered. */
export async function forgetKey(deps: MigrationsDeps, job: Job, session: Session): Promise<void> {
  await deps.db.migrationSecrets.deleteOne({ _id: job._id, projectId: job.projectId }, { session });
}

export async function forgetKeyLater(deps: MigrationsDeps, job: Job, session: Session): Promise<void> {
  const expiresAt = new Date(deps.clock.now().getTime() + KEPT_AFTER_FAILURE_MS);
  await deps.db.migrationSecrets.updateOne(
    { _id: job._id, projectId: job.projectId },
    { $set: { expiresAt } },
    { session },
  );
}

/** A failed job that is retried needs its key for as long as it lives. */
export async function keepKeyOn(deps: MigrationsDeps, job: Job): Promise<void> {
  await deps.db.migrationSecrets.updateOne(
    { _id: job._id, projectId: job.projectId, expiresAt: { $ne: null } },
    { $set: { expiresAt: null } },
  );
}

/** For callers that have only the id of the job. */
async function contextOfJob(
  { _id, projectId }: Pick<Job, '_id' | 'projectId'>,
  deps: MigrationsDeps,
): Promise<string[]> {
  const job = await deps.db.migrations.findOne({ _id, projectId }, { projection: { provider: 1 } });
  if (!job) throw new SecretError('The job that this key belongs to is gone.');
  return contextOf({ _id, projectId, provider: job.provider });
}

/** The same in every place that seals or opens; the key of another project or job does not open here. */
function contextOf({ _id, projectId, provider }: Job): string[] {
  return [projectId.toHexString(), _id.toHexString(), provider];
}

export const providerKeys = secretKind(
  'provider key',
  'sealed',
  ({ db }: MigrationsDeps) => db.migrationSecrets,
  contextOfJob,
);
