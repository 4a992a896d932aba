import type { Document } from 'mongodb';
import type { Deps } from '../base/deps.ts';
import type { Project } from '../base/model.ts';
import type { CountName } from '../outbox/counting/facts.ts';
import { providerName } from '../outbox/counting/mailbox-providers.ts';
import { nameOf } from './documents.ts';
import { type Range, rangeOf } from './ranges.ts';
import { percentOf } from './rules/rates.ts';
import { sums } from './series.ts';
import { completeSince, readState } from './state.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LIMITS = { maxMs: 31 * DAY_MS + 2 * HOUR_MS, max: '31 days', usualMs: 7 * DAY_MS } as const;
const REPLIES_MAX = 5;

interface DeferralReply {
  /** The codes; '' when the connection ended without a reply. */
  reply: string;
  /** A text of such a reply, without addresses and numbers. */
  text: string;
  count: number;
}

type ProviderReport = Record<CountName, number> & {
  id: string;
  name: string;
  openRate: number;
  humanOpenRate: number;
  bounceRate: number;
  complaintRate: number;
  deferralReplies: DeferralReply[];
};

export interface ProvidersReport extends Range {
  since: Date;
  providers: ProviderReport[];
}

/** Outcomes by the mailbox provider of the recipients, most mail first. */
export async function providersOf(
  deps: Pick<Deps, 'db' | 'clock'>,
  project: Project,
  query: { from?: string | undefined; to?: string | undefined },
): Promise<ProvidersReport> {
  const range = rangeOf(deps, query, LIMITS);
  const state = await readState(deps, project._id);
  const match = { projectId: project._id, count: state?.count ?? 0, at: { $gte: range.from, $lt: range.to } };
  const [counts, replies] = await Promise.all([countsOf(deps, match), repliesOf(deps, match)]);
  const providers = counts.map(({ _id: id, ...of }) => {
    const { sent, delivered, opened, humanOpened, bounced, complained } = of;
    return {
      ...{ id, name: providerName(id), ...of },
      openRate: percentOf(opened, delivered),
      humanOpenRate: percentOf(humanOpened, delivered),
      bounceRate: percentOf(bounced, sent),
      complaintRate: percentOf(complained, delivered),
      deferralReplies: replies.get(id) ?? [],
    };
  });
  const most = providers.toSorted((a, b) => b.sent - a.sent || (a.id < b.id ? -1 : 1));
  return { ...range, since: await completeSince(deps, project, state), providers: most };
}

function countsOf({ db }: Pick<Deps, 'db'>, match: Document) {
  return db.reportCounts
    .aggregate<Record<CountName, number> & { _id: string }>(
      [
        { $match: match },
        { $project: { one: { $objectToArray: { $ifNull: ['$providers', {}] } } } },
        { $unwind: '$one' },
        { $group: { _id: '$one.k', ...sums('one.v') } },
      ],
      { hint: 'project' },
    )
    .toArray();
}

async function repliesOf({ db }: Pick<Deps, 'db'>, match: Document): Promise<Map<string, DeferralReply[]>> {
  const found = await db.reportCounts
    .aggregate<{ _id: { provider: string; reply: string }; count: number; text: string | null }>(
      [
        { $match: { ...match, 'counts.deferred': { $gt: 0 } } },
        { $project: { one: { $objectToArray: '$providers' } } },
        { $unwind: '$one' },
        { $project: { provider: '$one.k', reply: { $objectToArray: { $ifNull: ['$one.v.replies', {}] } } } },
        { $unwind: '$reply' },
        {
          $group: {
            _id: { provider: '$provider', reply: '$reply.k' },
            count: { $sum: '$reply.v.count' },
            text: { $max: '$reply.v.text' },
          },
        },
        { $sort: { count: -1, _id: 1 } },
      ],
      { hint: 'project' },
    )
    .toArray();
  const byProvider = Map.groupBy(found, ({ _id }) => _id.provider);
  return new Map(
    [...byProvider].map(([provider, some]) => [
      provider,
      some.slice(0, REPLIES_MAX).map(({ _id, count, text }) => ({ reply: nameOf(_id.reply), text: text ?? '', count })),
    ]),
  );
}
