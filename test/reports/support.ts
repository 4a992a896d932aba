import type { Deps } from '../../core/base/deps.ts';
import { countProject } from '../../core/figures/reports/counting/count.ts';
import { Documents } from '../../core/figures/reports/documents.ts';
import { readDay } from '../../core/figures/reports/rules/day-counts.ts';
import { providerOf } from '../../core/mail/ledger/counting/mailbox-providers.ts';
import { Tally } from '../../core/mail/ledger/counting/tally.ts';
import type { Environment, Tenant } from '../support/environment.ts';

/** The counts in the documents of a project, without counts of nothing: by part, quarter and name. */
export async function storedCounts({ db }: Pick<Deps, 'db'>, { project }: Tenant): Promise<Record<string, number>> {
  const projectId = project._id;
  const state = await db.reportStates.findOne({ _id: projectId, projectId });
  const found = await db.reportCounts.find({ projectId, count: state?.count ?? 0 }).toArray();
  const result: Record<string, number> = {};
  for (const { part, day, quarters } of found)
    readDay(day, quarters.value(), (atMs, name, by) => {
      result[`${part} ${new Date(atMs).toISOString()} ${name}`] = by;
    });
  return result;
}

/** Everything of the ledger, counted here in the plainest way. */
export async function plainCounts(
  { db }: Pick<Deps, 'db'>,
  { project }: Tenant,
  domainOf: (campaignId: string) => string | null,
): Promise<Record<string, number>> {
  const projectId = project._id;
  const result: Record<string, number> = {};
  const engagements = await db.engagements.find({ projectId }).toArray();
  const byId = new Map(engagements.map((one) => [one._id.toHexString(), one]));
  for (const row of await db.messages.find({ projectId }).toArray()) {
    const { campaignId, automationId, lane, state, sentAt, endedAt, timeline = [], tags = [] } = row;
    const source = campaignId ? `campaign:${campaignId}` : automationId ? `automation:${automationId}` : `lane:${lane}`;
    const provider = row.provider ?? (row.email.endsWith('@gmail.com') ? 'google' : 'other');
    const domain = row.senderDomain ?? (campaignId ? domainOf(String(campaignId)) : null);
    const add = (name: string, at: Date | undefined, reply?: string) => {
      const parts = ['project', source, `provider:${provider}`, ...tags.map((tag) => `tag:${tag}`)];
      if (domain) parts.push(`domain:${domain}`);
      if (campaignId) parts.push(`${source}:${provider}`);
      if (reply !== undefined) parts.push(`reply:${provider}:${reply}`);
      if (at) addTo(result, parts, at, name);
    };
    if (!campaignId) add('accepted', row.createdAt);
    add('sent', sentAt);
    if (state === 'bounced') add('bounced', endedAt);
    else add('delivered', sentAt);
    for (const { type, at, reply } of timeline)
      if (type === 'deferred') add('deferred', at, reply ? `${reply.code} ${reply.enhanced}` : '');
    const engagement = byId.get(row._id.toHexString());
    add('opened', engagement?.openedAt);
    add('humanOpened', engagement?.humanOpenedAt);
    add('clicked', engagement?.clickedAt);
    add('complained', engagement?.complainedAt);
    add('unsubscribed', engagement?.unsubscribedAt);
  }
  for (const { _id, freeze, tags = [] } of await db.campaigns.find({ projectId }).toArray())
    for (const [provider, people] of Object.entries(freeze?.providers ?? {})) {
      const domain = domainOf(String(_id));
      const parts = ['project', `campaign:${_id}`, `provider:${provider}`, ...(domain ? [`domain:${domain}`] : [])];
      parts.push(...tags.map((tag) => `tag:${tag}`));
      addTo(result, parts, freeze!.at, 'accepted', people);
    }
  return result;
}

function addTo(result: Record<string, number>, parts: string[], at: Date, name: string, by = 1): void {
  const quarter = new Date(at);
  quarter.setUTCMinutes(Math.floor(at.getUTCMinutes() / 15) * 15, 0, 0);
  for (const part of parts) {
    const key = `${part} ${quarter.toISOString()} ${name}`;
    result[key] = (result[key] ?? 0) + by;
  }
}

export function countNow({ deps }: Environment, { project }: Tenant): Promise<void> {
  return countProject(deps, project._id);
}

/** [clicks, people, people apart from machines] of each link. */
export async function storedClicks({ db }: Pick<Deps, 'db'>, { project }: Tenant): Promise<Record<string, number[]>> {
  const projectId = project._id;
  const state = await db.reportStates.findOne({ _id: projectId, projectId });
  const found = await db.linkCounts.find({ projectId, count: state?.count ?? 0, clicks: { $ne: 0 } }).toArray();
  return Object.fromEntries(
    found.map(({ source, link, url, clicks, people, humanPeople }) => [
      `${source} ${link} ${url}`,
      [clicks, people, humanPeople],
    ]),
  );
}

/** Of campaigns whose mail has one link without a number, by one browser. */
export async function plainClicks({ db }: Pick<Deps, 'db'>, { project }: Tenant): Promise<Record<string, number[]>> {
  const projectId = project._id;
  const result: Record<string, number[]> = {};
  for (const { _id, clickCount = 0, clicks = [], laterClicks = [] } of await db.engagements
    .find({ projectId })
    .toArray()) {
    const row = await db.messages.findOne({ _id, projectId });
    if (!row?.campaignId || clickCount === 0) continue;
    const key = `campaign:${row.campaignId} null ${clicks[0]!.url}`;
    const isHuman = [...clicks, ...laterClicks].some(
      ({ at, deliveredAt }) => deliveredAt && at.getTime() - deliveredAt.getTime() >= 5_000,
    );
    const [all = 0, people = 0, human = 0] = result[key] ?? [];
    result[key] = [all + clickCount, people + 1, human + (isHuman ? 1 : 0)];
  }
  return result;
}

export interface Happened {
  domain?: string;
  email?: string;
  sent?: number;
  bounced?: number;
  complained?: number;
  opened?: number;
  deferred?: string[];
  hoursAgo?: number;
  campaignId?: string;
  automationId?: string;
  tags?: string[];
}

/** Writes the counts of mail that is in no ledger. */
export async function countHappened(
  { deps }: Environment,
  { project }: Tenant,
  { domain = 'news.example.com', email = 'a@gmail.com', hoursAgo = 1, tags = [], ...given }: Happened,
): Promise<void> {
  const { sent = 0, bounced = 0, complained = 0, opened = 0, deferred = [], campaignId, automationId } = given;
  const at = new Date(deps.clock.now().getTime() - hoursAgo * 3_600_000);
  const tally = new Tally();
  const times = (count: number, did: 'sent' | 'delivered' | 'bounced' | 'complained' | 'opened') =>
    tally.add(
      Array.from({ length: count }, () => ({ did, at, by: 1 as const })),
      providerOf(email),
    );
  times(sent, 'sent');
  times(sent - bounced, 'delivered');
  times(bounced, 'bounced');
  times(complained, 'complained');
  times(opened, 'opened');
  for (const text of deferred)
    tally.add(
      [{ did: 'deferred', at, by: 1, reply: { code: 421, enhanced: '4.7.0', text } }],
      providerOf(email),
      email,
    );
  const ofAutomation = automationId ? `automation:${automationId}` : 'lane:automation';
  const source = campaignId ? `campaign:${campaignId}` : ofAutomation;
  const documents = new Documents({ projectId: project._id, count: 0 });
  for (const cell of tally.cells()) documents.add({ source, domain, tags }, cell);
  await documents.write(deps);
}
