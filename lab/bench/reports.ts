import { ObjectId } from 'mongodb';
import { recountProject } from '../../core/figures/reports/counting/recount.ts';
import { type Client, createClient } from '../../test/support/client.ts';
import { openDrill } from '../rig/context.ts';
import { type Figure, figure } from '../rig/results/report.ts';
import { noRelay } from '../rig/sink.ts';
import { latency } from './audience/requests.ts';
import { LINKS, type Seeded, seedCampaigns } from './reports/seed.ts';
import { keep, say, sizeOr } from './run.ts';

/**
 * Reports and the people behind figures, over HTTP, at a million mails of ten campaigns with 300,000 engagements. First a recount from the
 * ledger, whose sums are held against those of the writing.
 */
const mails = sizeOr(1_000_000);
const REPORT = { atMost: 300 };
const PEOPLE = { atMost: 150 };
const CALLS = 60;
const DAY_MS = 86_400_000;

const drill = await openDrill(process.env, { relay: noRelay });
try {
  const { deps, project } = drill;
  const createdAt = new Date(Date.now() - 80 * DAY_MS);
  await deps.db.projects.updateOne({ _id: project._id }, { $set: { createdAt } });
  const { url } = await drill.startApi({ RATE_LIMIT: '100000000' });
  const client = createClient(url.replace(/\/v1$/, ''), drill.key);
  say(`writing ${mails} mails`);
  const seeded = await seedCampaigns(drill, client, mails);
  const figures = [
    await measureRecount(),
    ...(await measureReports(client, seeded)),
    ...(await measurePeople(client, seeded)),
  ];
  await expectSums(client, seeded);
  keep('reports', figures);
} finally {
  await drill.close();
}
process.exit(0);

async function measureRecount(): Promise<Figure> {
  const { deps, project } = drill;
  const begun = performance.now();
  const recounted = await recountProject(deps, { ...project, createdAt: new Date(Date.now() - 80 * DAY_MS) });
  if (recounted.kind !== 'recounted') throw new Error(`The recount ended as ${recounted.kind}.`);
  const seconds = (performance.now() - begun) / 1_000;
  say(`recounted ${recounted.mails} mails in ${seconds.toFixed(1)} s`);
  return figure(`a recount of ${mails} mails`, 's', [seconds]);
}

async function measureReports(client: Client, { campaigns, templateId, contactIds }: Seeded): Promise<Figure[]> {
  const before = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  const campaignOf = (index: number) => campaigns[index % campaigns.length];
  const zoneOf = (index: number) => ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'UTC'][index % 4];
  const series = (index: number, query: string) => client.get(`/reports/series?timezone=${zoneOf(index)}&${query}`);
  const report = (name: string, call: (index: number) => ReturnType<Client['get']>) =>
    latency(name, CALLS, REPORT, call);
  return [
    await report('series of two years by day', (at) => series(at, `from=${before(728)}`)),
    await report('series of 31 days by hour', (at) => series(at, `interval=hour&from=${before(30.9)}`)),
    await report('series of a campaign by hour', (at) =>
      series(at, `interval=hour&from=${before(30.9)}&campaignId=${campaignOf(at)}`),
    ),
    await report('series of a mailbox provider, two years by day', (at) =>
      series(at, `from=${before(728)}&provider=${['google', 'microsoft', 'yahoo'][at % 3]}`),
    ),
    await report('series of a sending domain, two years by day', (at) =>
      series(at, `from=${before(728)}&domain=mail.example.com`),
    ),
    await report('mailbox providers of 31 days', () => client.get(`/reports/providers?from=${before(30.9)}`)),
    await report('mailbox providers of a campaign', (at) =>
      client.get(`/reports/providers?from=${before(80)}&campaignId=${campaignOf(at)}`),
    ),
    await report('reputation', () => client.get('/reports/reputation')),
    await report('links of a campaign', (at) => client.get(`/campaigns/${campaignOf(at)}/links`)),
    await report('links of a template', () => client.get(`/templates/${templateId}/links`)),
    await report('analytics of a campaign', (at) => client.get(`/campaigns/${campaignOf(at)}/analytics`)),
    await report('activity of a contact', (at) =>
      client.get(`/contacts/${contactIds[(at * 31) % contactIds.length]}/activity`),
    ),
  ];
}

async function measurePeople(client: Client, { campaigns }: Seeded): Promise<Figure[]> {
  const people = (name: string, query: string, pageOf: (index: number) => number = (index) => 1 + (index % 5)) =>
    latency(`people of a campaign, ${name}`, CALLS, PEOPLE, (index) =>
      client.get(`/campaigns/${campaigns[index % campaigns.length]}/people?${query}&limit=20&page=${pageOf(index)}`),
    );
  const deep = (index: number) => 1 + ((index * 7) % Math.min(1_000, Math.floor(mails / 200 / 20)));
  return [
    await people('sent', 'did=sent'),
    await people('opened', 'did=opened'),
    await people('opened, any page', 'did=opened', deep),
    await people('opened by people', 'did=humanOpened'),
    await people('clicked', 'did=clicked'),
    await people('clicked one link', 'did=clicked&position=3'),
    await people('bounced', 'did=bounced'),
    await people('not opened', 'did=notOpened'),
    await people('not opened, any page', 'did=notOpened', deep),
    await people('not clicked', 'did=notClicked'),
  ];
}

/** Series, links and people say what was written. */
async function expectSums(client: Client, { campaigns, counts, clickedLinks }: Seeded): Promise<void> {
  const from = new Date(Date.now() - 80 * DAY_MS).toISOString();
  const { points } = (await client.get(`/reports/series?from=${from}`)).body.data;
  for (const [name, expected] of Object.entries(counts)) {
    const sum = points.reduce((total: number, point: Record<string, number>) => total + point[name]!, 0);
    if (sum !== expected) throw new Error(`The series have ${sum} ${name}; ${expected} were written.`);
  }
  for (const id of campaigns) {
    const { links } = (await client.get(`/campaigns/${id}/links`)).body.data;
    const clicksAt = (position: number) =>
      links.find((link: { position: number }) => link.position === position)?.clicks;
    const clicks = Array.from({ length: LINKS }, (_, at) => clicksAt(at + 1) ?? 0);
    if (String(clicks) !== String(clickedLinks.get(id)))
      throw new Error(`Campaign ${id} has clicks ${clicks}; ${clickedLinks.get(id)} were written.`);
    const { pagination } = (await client.get(`/campaigns/${id}/people?did=notOpened&limit=1`)).body.data;
    const plain = await notOpened(id);
    if (pagination.total !== plain)
      throw new Error(`${pagination.total} did not open campaign ${id}; the ledger has ${plain}.`);
  }
  say('the sums are those that were written');
}

async function notOpened(id: string): Promise<number> {
  const { deps, project } = drill;
  const of = { projectId: project._id, campaignId: new ObjectId(id) };
  const delivered = await deps.db.messages.countDocuments({ ...of, state: 'sent' });
  return delivered - (await deps.db.engagements.countDocuments({ ...of, openedAt: { $exists: true } }));
}
