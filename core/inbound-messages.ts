import type { Filter } from 'mongodb';
import type { Deps } from './deps.ts';
import { AppError } from './errors.ts';
import { parseId } from './ids.ts';
import type { InboundMessage, Project } from './model.ts';
import { type Page, type PageOf, pageOf } from './pages.ts';
import { readDate } from './rules/coercion.ts';
import { partOf } from './rules/searches.ts';

export interface InboundFilter extends Page {
  from?: string | undefined;
  to?: string | undefined;
  threadId?: string | undefined;
  search?: string | undefined;
  status?: InboundMessage['status'] | undefined;
  dateFrom?: string | undefined;
  dateTo?: string | undefined;
}

/** Newest first. */
export async function listInbound(
  deps: Deps,
  project: Project,
  filter: InboundFilter,
): Promise<PageOf<InboundMessage>> {
  const { from, to, threadId, search, status } = filter;
  const [since, until] = [filter.dateFrom, filter.dateTo].map((text) => (text === undefined ? null : readDate(text)));
  const part = search === undefined ? null : { ...partOf(search), $options: 'i' };
  const query: Filter<InboundMessage> = {
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
  return pageOf(deps.db.inboundMessages, query, filter, { sort: { receivedAt: -1, _id: -1 } });
}

/** Endpoints under /inbound answer 404 without a code. */
export async function getInbound(deps: Deps, project: Pick<Project, '_id'>, id: string): Promise<InboundMessage> {
  const _id = parseId(id);
  const found = _id && (await deps.db.inboundMessages.findOne({ _id, projectId: project._id }));
  if (!found) throw noSuchMessage();
  return found;
}

export function noSuchMessage(): AppError {
  return new AppError('not_found', 'There is no such inbound message in this project.');
}
