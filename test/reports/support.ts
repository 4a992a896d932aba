import type { Deps } from '../../core/base/deps.ts';
import { countProject } from '../../core/reports/count.ts';
import type { Environment, Tenant } from '../support/environment.ts';

/** The counts in the documents of a project, without texts and counts of nothing: by source, quarter and path. */
export async function storedCounts({ db }: Pick<Deps, 'db'>, { project }: Tenant): Promise<Record<string, number>> {
  const projectId = project._id;
  const state = await db.reportStates.findOne({ _id: projectId, projectId });
  const found = await db.reportCounts.find({ projectId, count: state?.count ?? 0 }).toArray();
  return Object.fromEntries(
    found.flatMap(({ source, at, counts, providers, domains }) =>
      leaves({ counts, providers, domains })
        .filter(([, value]) => value !== 0)
        .map(([path, value]) => [`${source} ${at.toISOString()} ${path}`, value]),
    ),
  );
}

function leaves(value: object, path = ''): Array<[string, number]> {
  return Object.entries(value).flatMap(([name, one]): Array<[string, number]> => {
    const here = path ? `${path}/${name}` : name;
    if (typeof one === 'number') return [[here, one]];
    return typeof one === 'object' && one !== null ? leaves(one, here) : [];
  });
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
    const { campaignId, automationId, lane, state, sentAt, endedAt, timeline = [] } = row;
    const source = campaignId ? `campaign:${campaignId}` : automationId ? `automation:${automationId}` : `lane:${lane}`;
    const provider = row.provider ?? (row.email.endsWith('@gmail.com') ? 'google' : 'other');
    const domain = row.senderDomain ?? (campaignId ? domainOf(String(campaignId)) : null);
    const add = (name: string, at: Date | undefined, extra?: string) => {
      if (!at) return;
      const quarter = new Date(at);
      quarter.setUTCMinutes(Math.floor(at.getUTCMinutes() / 15) * 15, 0, 0);
      const paths = [`counts/${name}`, `providers/${provider}/${name}`];
      if (domain) paths.push(`domains/${domain.replaceAll('.', ',')}/${name}`);
      if (extra) paths.push(`providers/${provider}/replies/${extra}/count`);
      for (const path of paths) {
        const key = `${source} ${quarter.toISOString()} ${path}`;
        result[key] = (result[key] ?? 0) + 1;
      }
    };
    add('sent', sentAt);
    if (state === 'bounced') add('bounced', endedAt);
    else add('delivered', sentAt);
    for (const { type, at, reply } of timeline)
      if (type === 'deferred')
        add('deferred', at, reply ? `${reply.code} ${reply.enhanced}`.replaceAll('.', ',') : 'none');
    const engagement = byId.get(row._id.toHexString());
    add('opened', engagement?.openedAt);
    add('humanOpened', engagement?.humanOpenedAt);
    add('clicked', engagement?.clickedAt);
    add('complained', engagement?.complainedAt);
    add('unsubscribed', engagement?.unsubscribedAt);
  }
  return result;
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
