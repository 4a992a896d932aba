import { AppError } from '../../base/errors.ts';
import { derivedId } from '../../base/ids.ts';
import { type Origin, refuseAuthor } from '../../base/maker.ts';
import type { ConsentEvidence } from '../../consent/consents/model.ts';
import { parseConsent } from '../../consent/consents/parse.ts';
import type { ConsentProject } from '../../consent/consents/record.ts';
import type { ContactChange } from '../changes/apply-change.ts';
import { changeContacts } from '../changes/changes.ts';
import type { PeopleDeps } from '../deps.ts';
import { readContactRow } from './parse-row.ts';
import { changeOfRow, listDirectory } from './rows.ts';

interface BulkUpdated {
  successCount: number;
  failedCount: number;
  totalCount: number;
  errors: { index: number; email: string | null; message: string }[];
}

/** Each contact by the rules of `contacts.upsert`, in order; the failure of one does not affect the others. */
export async function bulkUpdateContacts(
  deps: PeopleDeps,
  project: ConsentProject,
  { contacts, runWorkflow = false }: { contacts: { [field: string]: unknown }[]; runWorkflow?: boolean | undefined },
  { at, seed, by }: Origin,
): Promise<BulkUpdated> {
  if (runWorkflow) refuseAuthor({ by }, 'startAutomations');
  const read = contacts.map((contact) => readContactWithConsent(project, contact, { at, now: deps.clock.now() }));
  const directory = await listDirectory(
    deps,
    project,
    read.flatMap((result) => (result.ok ? [result.row] : [])),
  );
  const errors: BulkUpdated['errors'] = [];
  const fail = (index: number, message: string) => {
    const { email } = contacts[index] ?? {};
    errors.push({ index, email: typeof email === 'string' ? email : null, message });
  };
  const changes: { index: number; change: ContactChange }[] = [];
  for (const [index, result] of read.entries()) {
    const change = result.ok
      ? changeOfRow(result.row, directory, derivedId(at, 'contact of bulk', seed.toHexString(), result.row.email))
      : result.message;
    if (typeof change === 'string') fail(index, change);
    else changes.push({ index, change: { ...change, runWorkflow, consent: consentOf(result, change) } });
  }
  const outcomes = await changeContacts(
    deps,
    project,
    changes.map(({ change }) => change),
  );
  for (const [position, outcome] of outcomes.entries())
    if (outcome instanceof AppError) fail(changes[position]?.index ?? 0, outcome.message);
  errors.sort((a, b) => a.index - b.index);
  const [totalCount, failedCount] = [contacts.length, errors.length];
  return { successCount: totalCount - failedCount, failedCount, totalCount, errors };
}

type Read = ReturnType<typeof readContactRow>;
type ReadWithConsent = Read & { evidence?: ConsentEvidence };

/** A consent that is not valid fails its contact alone. */
function readContactWithConsent(
  project: ConsentProject,
  contact: { [field: string]: unknown },
  times: { at: Date; now: Date },
): ReadWithConsent {
  const read = readContactRow(contact);
  if (!read.ok || contact.consent === undefined) return read;
  const parsed = parseConsent(project, contact.consent, times);
  return parsed.ok ? { ...read, evidence: parsed.evidence } : { ok: false, message: parsed.problem };
}

function consentOf({ evidence }: ReadWithConsent, { addListIds = [] }: ContactChange): ConsentEvidence | undefined {
  return evidence && { ...evidence, ...(addListIds.length > 0 ? { listIds: addListIds } : {}) };
}
