import { type Filter, MongoServerError, type ObjectId, type Sort } from 'mongodb';
import { partOf } from '../base/database/search.ts';
import { AppError, invalid } from '../base/errors.ts';
import { parseId } from '../base/ids.ts';
import type { Project } from '../base/model.ts';
import {
  documentsOf,
  type LongPageOf,
  longPageOf,
  type Page,
  paginationOf,
  READ_TIME_MAX_MS,
  skipOf,
} from '../base/paging.ts';
import { readDate } from '../base/text/coercion.ts';
import type { InboundDeps } from './deps.ts';
import type { InboundMessage } from './model.ts';

interface InboundFilter extends Page {
  from?: string | undefined;
  to?: string | undefined;
  threadId?: string | undefined;
  search?: string | undefined;
  status?: InboundMessage['status'] | undefined;
  dateFrom?: string | undefined;
  dateTo?: string | undefined;
  newestOfThread?: boolean | undefined;
}

type Query = Filter<InboundMessage> & { projectId: ObjectId };

/** MongoDB's code for an operation that maxTimeMS ended. */
const TIME_OVER = 50;

/** Newest first. */
export async function listInbound(
  deps: InboundDeps,
  project: Project,
  filter: InboundFilter,
): Promise<LongPageOf<InboundMessage>> {
  const { from, to, threadId, search, status } = filter;
  const [since, until] = [filter.dateFrom, filter.dateTo].map((text) => (text === undefined ? null : readDate(text)));
  const part = search === undefined ? null : { ...partOf(search), $options: 'i' };
  const query: Query = {
    projectId: project._id,
    ...(from === undefined ? {} : { 'from.email': from.trim().toLowerCase() }),
    ...(to === undefined ? {} : { 'to.email': to.trim().toLowerCase() }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(status === undefined ? {} : { status }),
    ...(part ? { $or: [{ subject: part }, { text: part }, { 'from.email': part }] } : {}),
    ...(since || until
      ? { receivedAt: { ...(since ? { $gte: new Date(since) } : {}), ...(until ? { $lte: new Date(until) } : {}) } }
      : {}),
  };
  if (filter.newestOfThread) return pageOfThreads(deps, query, filter);
  const sort = { receivedAt: -1, _id: -1 } as const;
  if (!part) return longPageOf(deps.db.inboundMessages, query, filter, { sort });
  return pageOfFound(deps, query, filter, sort);
}

/**
 * The texts are read once, for the page and its total together. Without a hint MongoDB would try each index that begins with the project,
 * and read the texts for each.
 */
async function pageOfFound(
  { db: { inboundMessages } }: InboundDeps,
  query: Query,
  { page = 1, limit = 20, threadId, from }: InboundFilter,
  sort: Sort,
): Promise<LongPageOf<InboundMessage>> {
  const hint = threadId !== undefined ? 'thread' : from !== undefined ? 'sender' : 'newest';
  const found = await inboundMessages
    .find(query, { projection: { _id: 1 }, sort, hint, maxTimeMS: READ_TIME_MAX_MS })
    .toArray()
    .catch(refuseTooMuch);
  const skip = skipOf(page, limit);
  const ids = found.slice(skip, skip + limit).map(({ _id }) => _id);
  const entries = documentsOf(inboundMessages, query.projectId, ids);
  return { entries, pagination: paginationOf(page, limit, found.length) };
}

/** Without another filter the index alone is read, at one key for each conversation. */
async function pageOfThreads(
  { db: { inboundMessages } }: InboundDeps,
  query: Query,
  { page = 1, limit = 20, from }: InboundFilter,
): Promise<LongPageOf<InboundMessage>> {
  const reading = { hint: from === undefined ? 'thread' : 'sender', maxTimeMS: READ_TIME_MAX_MS };
  const [found] = await inboundMessages
    .aggregate<{ ids: Array<{ newest: ObjectId }>; all: Array<{ total: number }> }>(
      [
        { $match: query },
        // The texts of what one sender wrote are not sorted with it.
        ...(from === undefined ? [] : [{ $project: { threadId: 1, receivedAt: 1 } }]),
        { $sort: { threadId: 1, receivedAt: -1, _id: -1 } },
        { $group: { _id: '$threadId', newest: { $first: '$_id' }, receivedAt: { $first: '$receivedAt' } } },
        {
          $facet: {
            ids: [{ $sort: { receivedAt: -1, newest: -1 } }, { $skip: skipOf(page, limit) }, { $limit: limit }],
            all: [{ $count: 'total' }],
          },
        },
      ],
      reading,
    )
    .toArray()
    .catch(refuseTooMuch);
  const ids = found?.ids.map(({ newest }) => newest) ?? [];
  const entries = documentsOf(inboundMessages, query.projectId, ids);
  return { entries, pagination: paginationOf(page, limit, found?.all[0]?.total ?? 0) };
}

function refuseTooMuch(error: unknown): never {
  throw error instanceof MongoServerError && error.code === TIME_OVER ? tooMuchToRead() : error;
}

function tooMuchToRead(): AppError {
  return invalid(
    'The search would read too many messages. Narrow it with dateFrom and dateTo, from, to, threadId or status.',
    'search: reads too many messages',
  );
}

/** Endpoints under /inbound answer 404 without a code. */
export async function getInbound(
  deps: InboundDeps,
  project: Pick<Project, '_id'>,
  id: string,
): Promise<InboundMessage> {
  const _id = parseId(id);
  const found = _id && (await deps.db.inboundMessages.findOne({ _id, projectId: project._id }));
  if (!found) throw noSuchMessage();
  return found;
}

export function noSuchMessage(): AppError {
  return new AppError('not_found', 'There is no such inbound message in this project.');
}
