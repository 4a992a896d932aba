import type { Document, Filter } from 'mongodb';
import { oncePerCore } from '../../base/deps.ts';
import { invalid } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import { READ_TIME_MAX_MS } from '../../base/paging.ts';
import { costlyCache } from '../../base/work/cache.ts';
import { liveGroups } from '../../consent/suppressions/find-groups.ts';
import { withoutPeople } from '../../mail/ledger/counting/tally.ts';
import type { Message } from '../../mail/ledger/model.ts';
import { reasonInWords } from '../../mail/ledger/rules/reasons.ts';
import { type MessageState, REASON_STATES, states } from '../../mail/ledger/states.ts';
import { findCampaign } from '../definition/campaigns.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';

/** Why recipients did not get the mail, or not yet: what they have in common. */
interface Group {
  status: MessageState;
  code: number | null;
  enhanced: string | null;
  suppression: string | null;
  groupId: string | null;
  /** Of failures, as far as it is compared. */
  text: string | null;
}

export interface Reason extends Omit<Group, 'text'> {
  /** For `recipientsBecause`. */
  id: string;
  groupName: string | null;
  /** In a sentence. */
  reason: string | null;
  /** The relay's words to one of them, without the recipient. */
  example: string | null;
  count: number;
}

interface Reasons {
  reasons: Reason[];
  /** Recipients of all further reasons. */
  others: { count: number };
}

type Tenant = Pick<Campaign, '_id' | 'projectId'>;

const REASONS_MAX = 50;
/** Texts that begin alike are one reason. */
const TEXT_MAX = 200;
const KEPT_MAX = 200;
/** Failures have no reply, and their sentences differ. */
const WORDED: readonly MessageState[] = [states.failed, states.unknown];

const kept = oncePerCore((_deps: Pick<CampaignsDeps, 'state'>) => costlyCache<Reasons>({ sizeMax: KEPT_MAX }));

/** Read from keys of an index that has only these recipients, and computed again at most a tenth of the time. Most people first. */
export async function reasonsOf(deps: CampaignsDeps, project: Project, campaignId: string): Promise<Reasons> {
  const campaign = await findCampaign(deps, project, campaignId);
  return kept(deps).get(campaign._id.toHexString(), () => count(deps, campaign));
}

/** The filter for the recipients of a reason, and the order in which its index has them. */
export function recipientsBecause(id: string): { filter: Filter<Message>; sort: Record<string, 1>; hint: string } {
  return { filter: filterOf(readId(id)), sort: ORDER, hint: 'reasons' };
}

const ORDER = {
  ...({ state: 1, 'reply.code': 1, 'reply.enhanced': 1 } as const),
  ...({ 'suppressedBy.reason': 1, 'suppressedBy.groupId': 1, reason: 1, seq: 1 } as const),
};

async function count(deps: CampaignsDeps, campaign: Tenant): Promise<Reasons> {
  const own = { campaignId: campaign._id, projectId: campaign.projectId };
  const reading = { hint: 'reasons', maxTimeMS: READ_TIME_MAX_MS };
  const found = await deps.db.messages
    .aggregate<{ _id: Group; count: number; reason: string | null }>(
      [
        { $match: { ...own, state: { $in: REASON_STATES } } },
        { $group: { _id: GROUP, count: { $sum: 1 }, reason: { $first: '$reason' } } },
        { $sort: { count: -1, _id: 1 } },
      ],
      reading,
    )
    .toArray();
  const shown = found.slice(0, REASONS_MAX);
  const names = new Map((await liveGroups(deps, { _id: campaign.projectId })).map((one) => [one.groupId, one.name]));
  const reasons = await Promise.all(
    shown.map(async ({ _id: group, count: people, reason }): Promise<Reason> => {
      const { text: _, ...shared } = group;
      const groupName = group.groupId === null ? null : (names.get(group.groupId) ?? null);
      const said = { reason, suppressedBy: { groupId: group.groupId, reason: group.suppression ?? '' } };
      const example = group.code === null ? null : await exampleOf(deps, { ...own, ...filterOf(group) });
      return { id: idOf(group), ...shared, groupName, reason: reasonInWords(said), example, count: people };
    }),
  );
  const others = found.slice(REASONS_MAX).reduce((sum, one) => sum + one.count, 0);
  return { reasons, others: { count: others } };
}

const orNull = (field: string) => ({ $ifNull: [field, null] });
const GROUP: Document = {
  status: '$state',
  code: orNull('$reply.code'),
  enhanced: orNull('$reply.enhanced'),
  suppression: orNull('$suppressedBy.reason'),
  groupId: orNull('$suppressedBy.groupId'),
  text: {
    $cond: [{ $in: ['$state', WORDED] }, { $substrCP: [{ $ifNull: ['$reason', ''] }, 0, TEXT_MAX] }, null],
  },
};

async function exampleOf({ db }: Pick<CampaignsDeps, 'db'>, filter: Filter<Message>): Promise<string | null> {
  const projection = { 'reply.text': 1, email: 1 } as const;
  const one = await db.messages.findOne(filter, { projection, hint: 'reasons', maxTimeMS: READ_TIME_MAX_MS });
  return one?.reply?.text ? withoutPeople(one.reply.text, one.email) : null;
}

/** Only what is there is compared: the index passes over the rest. */
function filterOf({ status, code, enhanced, suppression, groupId, text }: Group): Filter<Message> {
  return {
    state: status,
    ...(code === null ? {} : { 'reply.code': code, 'reply.enhanced': enhanced }),
    ...(suppression === null ? {} : { 'suppressedBy.reason': suppression }),
    ...(groupId === null ? {} : { 'suppressedBy.groupId': groupId }),
    ...(text === null ? {} : { reason: text.length < TEXT_MAX ? text : { $gte: text, $lt: `${text}\u{10ffff}` } }),
  } as Filter<Message>;
}

function idOf({ status, code, enhanced, suppression, groupId, text }: Group): string {
  return Buffer.from(JSON.stringify([status, code, enhanced, suppression, groupId, text])).toString('base64url');
}

function readId(id: string): Group {
  const [status, code, enhanced, suppression, groupId, text, ...more] = parts(id);
  const isText = (value: unknown) => value === null || typeof value === 'string';
  const isGroup =
    more.length === 0 &&
    REASON_STATES.some((state) => state === status) &&
    (code === null || typeof code === 'number') &&
    [enhanced, suppression, groupId, text].every(isText);
  if (!isGroup)
    throw invalid(
      'Give the id of a reason of GET /campaigns/{campaignId}/reasons.',
      'reason: is not the id of a reason',
    );
  return { status, code, enhanced, suppression, groupId, text } as Group;
}

function parts(id: string): unknown[] {
  try {
    const read: unknown = JSON.parse(Buffer.from(id, 'base64url').toString());
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}
