import { parseId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import { DAY_MS, HOUR_MS } from '../../base/time/durations.ts';
import type { CountName } from '../../mail/ledger/counting/facts.ts';
import { providerName } from '../../mail/ledger/counting/mailbox-providers.ts';
import type { FiguresDeps } from '../deps.ts';
import { campaignProviders, PROVIDERS, REPLIES, readReplyPart } from './parts.ts';
import { type Range, rangeOf } from './ranges.ts';
import { type Counted, readCounts } from './read-counts.ts';
import { percentOf } from './rules/rates.ts';
import { noCounts } from './series.ts';
import { completeSince, readState } from './state.ts';

/** A month may have an hour more or less. */
const SPARE_MS = 2 * HOUR_MS;
const LIMITS = { maxMs: 31 * DAY_MS + SPARE_MS, max: '31 days', usualMs: 7 * DAY_MS } as const;
/** A gradual campaign takes months. */
const OF_CAMPAIGN = { maxMs: 731 * DAY_MS + SPARE_MS, max: 'two years', usualMs: 7 * DAY_MS } as const;
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

interface ProvidersQuery {
  from?: string | undefined;
  to?: string | undefined;
  campaignId?: string | undefined;
}

/** Outcomes by the mailbox provider of the recipients, most mail first. Replies of deferrals are known for the project alone. */
export async function providersOf(
  deps: Pick<FiguresDeps, 'db' | 'clock'>,
  project: Project,
  { campaignId, ...query }: ProvidersQuery,
): Promise<ProvidersReport> {
  const campaign = campaignId === undefined ? null : parseId(campaignId);
  const range = rangeOf(deps, query, campaign ? OF_CAMPAIGN : LIMITS);
  const prefix = campaign ? campaignProviders(campaign) : PROVIDERS;
  const state = await readState(deps, project._id);
  const counted = { projectId: project._id, count: state?.count ?? 0 };
  const [counts, replies] = await Promise.all([
    countsOf(deps, counted, prefix, range),
    campaign ? new Map<string, DeferralReply[]>() : repliesOf(deps, counted, range),
  ]);
  const providers = [...counts].map(([id, of]) => {
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

async function countsOf(deps: Pick<FiguresDeps, 'db'>, counted: Counted, prefix: string, range: Range) {
  const found = new Map<string, Record<CountName, number>>();
  await readCounts(deps, counted, { startWith: prefix }, range, ({ part, name, by }) => {
    const id = part.slice(prefix.length);
    if (!found.has(id)) found.set(id, noCounts());
    found.get(id)![name] += by;
  });
  return found;
}

async function repliesOf(
  deps: Pick<FiguresDeps, 'db'>,
  counted: Counted,
  range: Range,
): Promise<Map<string, DeferralReply[]>> {
  const found = new Map<string, DeferralReply & { provider: string }>();
  await readCounts(deps, counted, { startWith: REPLIES }, range, ({ part, text, by }) => {
    const known = found.get(part) ?? { ...readReplyPart(part), text, count: 0 };
    found.set(part, { ...known, text: text || known.text, count: known.count + by });
  });
  const most = [...found.values()].toSorted((a, b) => b.count - a.count || (a.reply < b.reply ? -1 : 1));
  const byProvider = Map.groupBy(most, ({ provider }) => provider);
  return new Map(
    [...byProvider].map(([provider, some]) => [
      provider,
      some.slice(0, REPLIES_MAX).map(({ reply, text, count }) => ({ reply, text, count })),
    ]),
  );
}
