import type { ObjectId } from 'mongodb';
import type { updateSenderBody } from '../../schemas/domains/senders.ts';
import type { Described } from '../../schemas/schema.ts';
import { insertOnce, isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { named } from '../base/database/search.ts';
import { conflict, invalid, notFound, unprocessable } from '../base/errors.ts';
import { derivedId, findById, parseId } from '../base/ids.ts';
import type { Origin } from '../base/maker.ts';
import type { Project } from '../base/model.ts';
import { type Page, type PageOf, pageOf, paginationOf, READ_TIME_MAX_MS } from '../base/paging.ts';
import { emailDomain, normalizeEmail, requireEmail } from '../base/text/addresses.ts';
import type { DomainsDeps } from './deps.ts';
import { findVerifiedDomain } from './domains.ts';
import type { Domain, Sender } from './model.ts';

type SenderInput = Described<typeof updateSenderBody>;

interface SenderSearch {
  search?: string | undefined;
  newestFirst?: boolean | undefined;
}

/** The interface has no pages here: without `page` and `limit` all senders are answered. */
export async function listSenders(
  deps: DomainsDeps,
  project: Project,
  { search, newestFirst, ...page }: Page & SenderSearch,
): Promise<PageOf<Sender>> {
  const filter = { projectId: project._id, ...named(search, 'name', 'email') };
  const order = newestFirst ? -1 : 1;
  const sort = { createdAt: order, _id: order } as const;
  if (page.page !== undefined || page.limit !== undefined) return pageOf(deps.db.senders, filter, page, { sort });
  const entries = await deps.db.senders.find(filter, { sort, maxTimeMS: READ_TIME_MAX_MS }).toArray();
  return { entries, pagination: paginationOf(1, Math.max(1, entries.length), entries.length) };
}

/** `field` is given when the id was in a body. */
export function getSender(
  deps: DomainsDeps,
  project: Pick<Project, '_id'>,
  senderId: string,
  field?: string,
): Promise<Sender> {
  return findById(deps.db.senders, project, senderId, 'SENDER', field);
}

export async function createSender(
  deps: DomainsDeps,
  project: Project,
  input: SenderInput,
  { at, seed }: Origin,
): Promise<Sender> {
  const email = requireEmail(input.email);
  await requireVerifiedDomain(deps, project, email, 'email');
  const sender: Sender = {
    _id: derivedId(at, 'sender', seed.toHexString()),
    projectId: project._id,
    email,
    name: input.name ?? '',
    replyTo: replyAddress(input.replyTo),
    createdAt: at,
    updatedAt: at,
  };
  try {
    return await insertOnce(deps.db.senders, sender, { projectId: project._id });
  } catch (error) {
    throw isDuplicateKey(error, 'email') ? senderExists() : error;
  }
}

export async function updateSender(
  deps: DomainsDeps,
  project: Project,
  senderId: string,
  input: SenderInput,
): Promise<Sender> {
  const _id = requireId(senderId);
  const set: Partial<Sender> = { updatedAt: deps.clock.now() };
  if (input.email !== undefined) {
    set.email = requireEmail(input.email);
    await requireVerifiedDomain(deps, project, set.email, 'email');
  }
  if (input.name !== undefined) set.name = input.name;
  if (input.replyTo !== undefined) set.replyTo = replyAddress(input.replyTo);
  try {
    const sender = await deps.db.senders.findOneAndUpdate(
      { _id, projectId: project._id },
      { $set: set },
      { returnDocument: 'after' },
    );
    if (!sender) throw notFound('SENDER');
    return sender;
  } catch (error) {
    throw isDuplicateKey(error, 'email') ? senderExists() : error;
  }
}

export async function deleteSender(deps: DomainsDeps, project: Project, senderId: string): Promise<void> {
  const { deletedCount } = await deps.db.senders.deleteOne({ _id: requireId(senderId), projectId: project._id });
  if (deletedCount === 0) throw notFound('SENDER');
}

/** The domain of a sender address: verified in this project, and exactly this name. */
export async function requireVerifiedDomain(
  deps: DomainsDeps,
  project: Pick<Project, '_id'>,
  email: string,
  field: string,
): Promise<Domain> {
  const domain = await findVerifiedDomain(deps, project, emailDomain(email));
  if (!domain) throw domainNotVerified(field);
  return domain;
}

export function domainNotVerified(field: string) {
  return unprocessable(
    'DOMAIN_NOT_VERIFIED',
    'Mail must come from a verified domain of this project: add the domain, publish its records and verify it.',
    `${field}: is not on a verified domain of this project`,
  );
}

function replyAddress(given: string | undefined): string {
  if (!given) return '';
  const replyTo = normalizeEmail(given);
  if (!replyTo) throw invalid('replyTo must be an email address, or empty.', 'replyTo: must be an email address');
  return replyTo;
}

function senderExists() {
  return conflict('ALREADY_EXISTS', 'This project has a sender with this email already.');
}

function requireId(senderId: string): ObjectId {
  const _id = parseId(senderId);
  if (!_id) throw notFound('SENDER');
  return _id;
}
