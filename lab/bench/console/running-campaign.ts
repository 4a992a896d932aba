import { ObjectId } from 'mongodb';
import { publishEvents } from '../../../core/events/events.ts';
import { campaignNow, liveProgress } from '../../../core/figures/live/campaigns.ts';
import { KEPT_MS, keyOf, minuteOf, SHOWN_MS, SLOT_MS, slotField } from '../../../core/mail/ledger/rates/keys.ts';
import { call } from '../../rig/traffic/calls.ts';
import { repeatedly, until } from '../../rig/waiting.ts';
import { addPeople, type Installation, openInstallation } from '../campaigns/installation.ts';
import { launch, PARAGRAPHS } from '../campaigns/measure.ts';
import { openTab, type Tab, warmConsole } from './tabs.ts';

/** Events come in as many writes a second. */
const WRITES_A_SECOND = 50;
const READ_MS = 1_000;
const ERASED_AFTER_MS = 60_000;
const EVENT = 'campaign.progress';

/** A campaign that is being sent at a limited rate, and its page. */
export interface RunningCampaign {
  installation: Installation;
  campaignId: string;
  tab: Tab;
  /** Further events of its progress, so many a second, into the feed that the stream reads. */
  publish(perSecond: number): Publishing;
  close(): Promise<void>;
}

interface Publishing {
  /** Resolves with the number of events. */
  stop(): Promise<number>;
}

interface RunningSize {
  recipients: number;
  ratePerSecond: number;
}

/** Resolves when its page is drawn and moves. */
export async function openRunning({ recipients, ratePerSecond }: RunningSize): Promise<RunningCampaign> {
  const installation = await openInstallation({ senders: 1, connections: 16, mail: false });
  await warmConsole(installation.url);
  const tab = await openTab(installation.drill, installation.url);
  const campaignId = await launchSlow(installation, { recipients, ratePerSecond });
  addPast(installation, campaignId, ratePerSecond);
  await watch(tab, campaignId);
  return {
    ...{ installation, campaignId, tab },
    publish: (perSecond) => publishing(installation, campaignId, { perSecond, ratePerSecond }),
    async close() {
      await tab.close();
      await installation.close();
    },
  };
}

/** The last fifteen minutes as if it had been sent then: as many points as its plots may have, from the beginning. */
function addPast({ drill: { deps, project } }: Installation, campaignId: string, ratePerSecond: number): void {
  const now = Date.now();
  const counts = new Map<string, Map<string, number>>();
  for (let ms = now - SHOWN_MS; ms < now - SLOT_MS; ms += SLOT_MS) {
    const key = keyOf({ projectId: project._id, campaignId: new ObjectId(campaignId) }, minuteOf(ms));
    const fields = counts.get(key) ?? new Map<string, number>();
    counts.set(key, fields.set(slotField(ms, 'sent'), Math.round((ratePerSecond * SLOT_MS) / 1_000)));
  }
  deps.recentCounts.add(counts, KEPT_MS);
}

export async function launchSlow(installation: Installation, { recipients, ratePerSecond }: RunningSize) {
  const listId = await addPeople(installation.drill, recipients);
  return launch(installation, { listId, paragraphs: PARAGRAPHS.small, sendRatePerSecond: ratePerSecond });
}

/** Opens the page of a campaign; resolves when everything on it is there and its figures move. */
export async function watch({ page, go }: Tab, campaignId: string): Promise<void> {
  await go(`/campaigns/${campaignId}`);
  await page.getByRole('progressbar').waitFor();
  await page.getByRole('table', { name: 'Recipients' }).getByRole('link').first().waitFor();
  const before = await sentOn(page);
  await until('the page moves', async () => (await sentOn(page)) > before);
}

/** As the page says. */
export async function sentOn(page: Tab['page']): Promise<number> {
  return Number(((await page.getByTestId('sent').textContent()) ?? '').replaceAll(',', ''));
}

export async function abort({ drill, url }: Installation, campaignId: string): Promise<void> {
  await call(drill, `${url}/campaigns/${campaignId}/abort`, {});
}

/** Its figures as they are, and between two looks as they would be: each event moves the bar. */
function publishing(
  { drill: { deps, project } }: Installation,
  campaignId: string,
  { perSecond, ratePerSecond }: { perSecond: number; ratePerSecond: number },
): Publishing {
  const began = performance.now();
  let published = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  let known: Awaited<ReturnType<typeof liveProgress>>;
  const look = async () => {
    const campaign = await deps.db.campaigns.findOne({ _id: new ObjectId(campaignId), projectId: project._id });
    if (!campaign) throw new Error('The campaign is gone.');
    known = await liveProgress(deps, await campaignNow(deps, campaign));
    readAt = performance.now();
  };
  const event = () => {
    published += 1;
    const since = Math.floor(((performance.now() - readAt) / 1_000) * ratePerSecond);
    const data = { ...known, sent: known.sent + since, pending: Math.max(0, known.pending - since) };
    const eraseAt = new Date(Date.now() + ERASED_AFTER_MS);
    return { type: EVENT, key: `bench ${campaignId} ${began} ${published}`, data, eraseAt } as const;
  };
  const stopPublishing = repeatedly(1_000 / WRITES_A_SECOND, async () => {
    if (performance.now() - readAt > READ_MS) await look();
    const due = Math.floor(((performance.now() - began) / 1_000) * perSecond) - published;
    if (due > 0) await publishEvents(deps, project._id, Array.from({ length: due }, event));
  });
  return {
    async stop() {
      await stopPublishing();
      return published;
    },
  };
}
