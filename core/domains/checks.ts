import { isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { parseId } from '../base/ids.ts';
import { again, documentQueue, done } from '../jobs/document-queue.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { requestRun, startQueue, wakeStarts } from '../jobs/starts.ts';
import type { DomainsDeps } from './deps.ts';
import { lookUpDomain } from './dns-lookups.ts';
import type { Domain, VerificationStatus } from './model.ts';
import { recheckDelayMs } from './rules/check-schedule.ts';
import { domainRecords } from './rules/records.ts';
import { afterCheck, afterTaken, type DomainResult, waitsFor } from './rules/status.ts';

export interface DomainCheckResult {
  status: VerificationStatus;
  message: string | null;
  /** The records for which the run still waits; null when there are none. */
  waitsFor: 'records' | 'inbound' | null;
}

type Checked = DomainResult & Pick<Domain, 'seen'>;

declare module '../base/deps.ts' {
  interface Subscribers {
    /** Code that follows the checks of domains. Called once for each, or again after a failure. */
    domainChecks: ReadonlyArray<(deps: CallerDeps, domain: Domain) => Promise<void>>;
  }
}

const RECHECKS_LOOK_EVERY_MS = 5_000;

/** Checks DNS once and applies the result; null when the domain was deleted. Checking twice does no harm. */
export async function checkDomain(
  deps: DomainsDeps,
  projectId: string,
  domainId: string,
): Promise<DomainCheckResult | null> {
  const ids = { _id: parseId(domainId), projectId: parseId(projectId) };
  const { _id, projectId: project } = ids;
  const domain = _id && project && (await deps.db.domains.findOne({ _id, projectId: project }));
  if (!domain) return null;
  if (domain.seeded) return resultOf(domain);
  const records = domainRecords(domain, deps.config);
  const { findings, seen } = await lookUpDomain(deps, domain, records);
  const checked = await applyFindings(deps, domain, (current) => {
    const known = current.inboundEnabledAt ? findings : { ...findings, inboundMx: 'unanswered' as const };
    return { ...afterCheck(current, known, records, deps.clock.now()), seen };
  });
  if (!checked) return null;
  for (const follow of deps.subscribers.domainChecks) await follow(deps, checked);
  return resultOf(checked);
}

/** Starts the checks that `verify` and other calls have requested. */
export function domainQueue(deps: DomainsDeps): JobQueue {
  return startQueue(deps, 'domain', {
    concurrencyMax: 16,
    run: async ({ subjectId, projectId }) => {
      const domain = await deps.db.domains.findOne({ _id: subjectId, projectId }, { projection: { domainName: 1 } });
      if (!domain) return done;
      const { domainName } = domain;
      await deps.workflows.checkDomain({
        projectId: projectId.toHexString(),
        domainId: subjectId.toHexString(),
        domainName,
      });
      return done;
    },
  });
}

/**
 * Verified domains are checked again from time to time. Asking for a check sets the next time first, in case the check does not
 * happen.
 */
export function domainRechecks(deps: DomainsDeps): JobQueue {
  return documentQueue<Domain>(deps, {
    name: 'domain-rechecks',
    collection: deps.db.domains,
    field: 'recheckDueAt',
    concurrencyMax: 4,
    lookEveryMs: RECHECKS_LOOK_EVERY_MS,
    run: async (domain) => {
      await requestRun(deps, 'domain', domain);
      wakeStarts(deps, 'domain', domain.projectId);
      return again(new Date(deps.clock.now().getTime() + recheckDelayMs(domain)));
    },
  });
}

/**
 * Applied to the domain as it is now: changes made during the DNS queries (inbound turned off, a new call of verify) are kept.
 */
async function applyFindings(
  deps: DomainsDeps,
  checked: Domain,
  decide: (current: Domain) => Checked,
): Promise<Domain | null> {
  let current: Domain | null = checked;
  while (current) {
    const result = decide(current);
    const written = await writeResult(deps, checked, current, result).catch((error) => {
      if (!isDuplicateKey(error, 'verified_once')) throw error;
      return writeResult(deps, checked, current as Domain, { ...afterTaken(result), seen: result.seen });
    });
    if (written) return written;
    current = await deps.db.domains.findOne({ _id: checked._id, projectId: checked.projectId });
  }
  return null;
}

async function writeResult(
  deps: DomainsDeps,
  checked: Domain,
  current: Domain,
  result: Checked,
): Promise<Domain | null> {
  const { _id, projectId, revision } = current;
  const isLatest = current.checkRequestedAt?.getTime() === checked.checkRequestedAt?.getTime();
  const recheckDueAt = new Date(deps.clock.now().getTime() + recheckDelayMs(result));
  const isVerified = result.verificationStatus === 'VERIFIED';
  return deps.db.domains.findOneAndUpdate(
    { _id, projectId, revision },
    {
      $set: { ...result, ...(isLatest ? { checkRequestedAt: null } : {}), ...(isVerified ? { recheckDueAt } : {}) },
      ...(isVerified ? {} : { $unset: { recheckDueAt: '' } }),
      $inc: { revision: 1 },
    },
    { returnDocument: 'after' },
  );
}

function resultOf(domain: Domain): DomainCheckResult {
  return { status: domain.verificationStatus, message: domain.message, waitsFor: waitsFor(domain) };
}
