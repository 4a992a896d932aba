import type { Document, Filter, ObjectId, UpdateFilter } from 'mongodb';
import type { createDomainBody, updateDomainBody } from '../../schemas/domains/domains.ts';
import type { Described } from '../../schemas/schema.ts';
import { insertOnce, isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { inTransaction } from '../base/database/transactions.ts';
import { AppError, conflict, invalid, notFound, unprocessable } from '../base/errors.ts';
import { derivedId, findById, parseId } from '../base/ids.ts';
import type { Origin } from '../base/maker.ts';
import type { Project, Session } from '../base/model.ts';
import { type Page, type PageOf, pageOf } from '../base/paging.ts';
import { normalizeDomain } from '../base/text/addresses.ts';
import { requestRun, wakeStarts } from '../jobs/starts.ts';
import type { DomainsDeps } from './deps.ts';
import { makeDkimKeys, ownershipValue } from './keys.ts';
import type { Domain, VerificationStatus } from './model.ts';

const REGION_DEFAULT = 'default';

type DomainInput = Described<typeof createDomainBody>;

type DomainChange = Described<typeof updateDomainBody>;

export async function createDomain(
  deps: DomainsDeps,
  project: Project,
  input: DomainInput,
  { at, seed }: Origin,
): Promise<Domain> {
  const domain = await newDomain(deps, project, input, { _id: derivedId(at, 'domain', seed.toHexString()), at });
  return insertDomain(deps, domain);
}

export async function listDomains(
  deps: DomainsDeps,
  project: Project,
  { status, ...page }: Page & { status?: VerificationStatus | undefined },
): Promise<PageOf<Domain>> {
  const filter: Filter<Domain> = { projectId: project._id, ...(status ? { verificationStatus: status } : {}) };
  return pageOf(deps.db.domains, filter, page, { sort: { createdAt: 1, _id: 1 } });
}

export function getDomain(deps: DomainsDeps, project: Project, domainId: string): Promise<Domain> {
  return findById(deps.db.domains, project, domainId, 'DOMAIN');
}

export async function updateDomain(
  deps: DomainsDeps,
  project: Project,
  domainId: string,
  { dkimSigning, regionKey }: DomainChange,
): Promise<Domain> {
  const domain = await getDomain(deps, project, domainId);
  const change = { dkimSigning: dkimSigning ?? domain.dkimSigning, regionKey: regionKey ?? domain.regionKey };
  const changed = await changeDomain(deps, domain, {}, { $set: change, $inc: { revision: 1 } });
  if (!changed) throw notFound('DOMAIN');
  return changed;
}

/** A run that waits for its records does not find the domain at its next check, and ends. */
export async function deleteDomain(deps: DomainsDeps, project: Project, domainId: string): Promise<void> {
  const _id = parseId(domainId);
  const { deletedCount } = _id ? await deps.db.domains.deleteOne({ _id, projectId: project._id }) : { deletedCount: 0 };
  if (deletedCount === 0) throw notFound('DOMAIN');
}

/** Only records that a check is wanted: a queue starts it, at once or when Temporal is up again. */
export async function verifyDomain(deps: DomainsDeps, project: Project, domainId: string): Promise<Domain> {
  const domain = await getDomain(deps, project, domainId);
  const asked = await requestDomainCheck(deps, domain);
  if (!asked) throw notFound('DOMAIN');
  return asked;
}

/** null when the domain was deleted. */
export async function requestDomainCheck(deps: DomainsDeps, domain: Domain): Promise<Domain | null> {
  if (domain.seeded) return domain;
  return checkAfter(deps, domain, {}, { checkRequestedAt: '$$NOW' });
}

/** Enabling again keeps the time of the first call. */
export async function enableInbound(deps: DomainsDeps, project: Project, domainId: string): Promise<Domain> {
  const domain = await getDomain(deps, project, domainId).catch(withoutCode);
  if (domain.verificationStatus !== 'VERIFIED')
    throw unprocessable(
      undefined,
      'Inbound mail can be enabled once the domain is verified; publish its records and verify it first.',
    );
  if (domain.inboundEnabledAt) return domain;
  const off = { verificationStatus: 'VERIFIED', inboundEnabledAt: null } as const;
  const enabled = await checkAfter(deps, domain, off, { inboundEnabledAt: deps.clock.now() });
  return enabled ?? enableInbound(deps, project, domainId);
}

/** Turning inbound off twice is harmless: the second call has nothing to clear. */
export async function disableInbound(deps: DomainsDeps, project: Project, domainId: string): Promise<Domain> {
  const domain = await getDomain(deps, project, domainId).catch(withoutCode);
  const off = { inboundEnabledAt: null, inboundDomainVerifiedAt: null };
  const disabled = await changeDomain(deps, domain, {}, { $set: off, $inc: { revision: 1 } });
  if (!disabled) throw withoutCode(notFound('DOMAIN'));
  return disabled;
}

/** The verified domain of this project with that name, which may send; null when there is none. */
export function findVerifiedDomain(
  deps: DomainsDeps,
  project: Pick<Project, '_id'>,
  domainName: string,
): Promise<Domain | null> {
  return deps.db.domains.findOne({ projectId: project._id, domainName, verificationStatus: 'VERIFIED' });
}

/** Runs with the deletion of the project: its names are free for other projects, and its keys are removed. */
export async function deleteDomainsOfProject(deps: Pick<DomainsDeps, 'db'>, projectId: ObjectId): Promise<void> {
  await deps.db.domains.deleteMany({ projectId });
}

/** For the demo project: verified without DNS, and never checked. */
export async function seedVerifiedDomain(
  deps: DomainsDeps,
  project: Project,
  domainName: string,
  _id: ObjectId,
): Promise<Domain> {
  const at = deps.clock.now();
  const domain = await newDomain(deps, project, { domainName }, { _id, at });
  const found = {
    ownershipVerified: true,
    dkimEnabled: true,
    dkimEd25519Enabled: true,
    mailFromEnabled: true,
    dmarcEnabled: true,
  };
  return insertDomain(deps, { ...domain, ...found, verificationStatus: 'VERIFIED', verifiedAt: at, seeded: true });
}

async function newDomain(
  deps: DomainsDeps,
  project: Project,
  input: DomainInput,
  { _id, at }: { _id: ObjectId; at: Date },
): Promise<Domain> {
  const given = input.domainName ?? input.domain;
  if (given === undefined) throw invalid('domainName: is required.', 'domainName: is required');
  const domainName = normalizeDomain(given);
  if (domainName === null)
    throw invalid(
      'domainName: must be a domain name, for example news.example.com.',
      'domainName: must be a domain name',
    );
  const owner = { _id, projectId: project._id };
  return {
    ...owner,
    domainName,
    regionKey: input.regionKey ?? REGION_DEFAULT,
    verificationStatus: 'PENDING_CONFIGURATION',
    ownershipValue: ownershipValue(project._id, domainName),
    ...(await makeDkimKeys(deps, owner)),
    dkimSigning: 'own',
    ownershipVerified: false,
    dkimEnabled: false,
    dkimEd25519Enabled: false,
    mailFromEnabled: false,
    dmarcEnabled: false,
    message: null,
    checkRequestedAt: null,
    createdAt: at,
    lastCheckedAt: null,
    verifiedAt: null,
    missingSince: null,
    inboundEnabledAt: null,
    inboundDomainVerifiedAt: null,
    seeded: false,
    revision: 0,
  };
}

async function insertDomain(deps: DomainsDeps, domain: Domain): Promise<Domain> {
  try {
    return await insertOnce(deps.db.domains, domain, { projectId: domain.projectId });
  } catch (error) {
    if (isDuplicateKey(error, 'domain_name')) throw conflict('ALREADY_EXISTS', 'This project has this domain already.');
    throw error;
  }
}

/** The change and the request for a check in one commit. */
async function checkAfter(
  deps: DomainsDeps,
  domain: Domain,
  onlyIf: Filter<Domain>,
  change: Record<string, unknown>,
): Promise<Domain | null> {
  const update = [{ $set: { ...change, revision: { $add: ['$revision', 1] } } }];
  const changed = await inTransaction(deps, async (session) => {
    const after = await changeDomain(deps, domain, onlyIf, update, session);
    if (after) await requestRun(deps, 'domain', domain, { session });
    return after;
  });
  if (changed) wakeStarts(deps, 'domain', domain.projectId);
  return changed;
}

async function changeDomain(
  deps: DomainsDeps,
  { _id, projectId }: Domain,
  onlyIf: Filter<Domain>,
  change: UpdateFilter<Domain> | Document[],
  session?: Session,
): Promise<Domain | null> {
  const options = { returnDocument: 'after', ...(session && { session }) } as const;
  return deps.db.domains.findOneAndUpdate({ _id, projectId, ...onlyIf }, change, options);
}

/** Turning inbound mail on and off answers 404 without a code. */
function withoutCode(error: unknown): never {
  if (error instanceof AppError) throw new AppError(error.kind, error.message);
  throw error;
}
