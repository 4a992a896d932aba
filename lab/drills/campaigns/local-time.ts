import type { Release } from '../../../core/campaigns/model.ts';
import { shownReleases } from '../../../core/campaigns/numbers/zones.ts';
import { call } from '../../rig/traffic/calls.ts';
import { between, pause, until } from '../../rig/waiting.ts';
import {
  type CampaignDrill,
  type CampaignTally,
  type CampaignUnderFire,
  campaignUnderFire,
  readCampaign,
} from './campaigns.ts';

export interface LocalTimeTally extends CampaignTally {
  zones: number;
  /** Claimed before the moment of their zone. */
  early: number;
  /** Of the zone whose moment was in a pause, claimed before the resume. */
  inPause: number;
  /** Looks at which a zone had more than its people, or one that is still to come had any. */
  wrongZones: number;
}

/** None is ahead of UTC, so all have their time still to come when the first zone on earth has it. */
const ZONES = ['UTC', 'Atlantic/Azores', 'America/Sao_Paulo', 'America/New_York', 'America/Los_Angeles'];
const HOUR_MS = 3_600_000;
/** From the resume to the moment of the zone. */
const SOON_MS = 2_000;
const WITHIN_MS = 300_000;

/**
 * kill -9 of the sender and of the API in the middle of each zone, and a pause over the moment of one. The hours between two zones are made
 * seconds: when everybody of one is written to, the moment of the next is set in the campaign.
 */
export async function localTimeKill(env: NodeJS.ProcessEnv, drill: CampaignDrill): Promise<LocalTimeTally> {
  const found = { zones: ZONES.length, early: 0, inPause: 0, wrongZones: 0 };
  const wall = new Date(Date.now() + 2 * HOUR_MS).toISOString();
  const localTime = { date: wall.slice(0, 10), time: wall.slice(11, 16), fallbackTimezone: 'UTC', late: 'now' };
  const homeOf = (index: number) => ZONES[index % ZONES.length] as string;
  const tally = await campaignUnderFire(env, { ...drill, homeOf, fields: { localTime } }, async (fire) => {
    const { context, campaign } = fire;
    let api = await context.startApi();
    const steady = await fire.startWorker('workflows,background');
    const act = (verb: string) => call(context, `${api.url}/campaigns/${campaign._id.toHexString()}/${verb}`, {});
    const isFrozen = async () => !!(await readCampaign(context, campaign._id)).freeze?.isDone;
    await until('the audience is written down', isFrozen, WITHIN_MS);
    let sender = await fire.startWorker('campaign');
    for (let zone = 0; zone < ZONES.length; zone += 1) {
      await act('pause');
      await setMoment(fire, zone);
      const isInPause = zone === ZONES.length - 2;
      if (isInPause) {
        await pause(2 * SOON_MS);
        found.inPause = await claimedOf(fire, (await releasesOf(fire))[zone] as Release);
      }
      await act('resume');
      await fire.untilMoving();
      await pause(between(0, 300));
      await fire.noteFault();
      sender.kill('SIGKILL');
      api.child.kill('SIGKILL');
      await Promise.all([sender.exited, api.child.exited]);
      if (drill.hurry) await fire.endLeases();
      [sender, api] = await Promise.all([fire.startWorker('campaign'), context.startApi()]);
      await untilZoneOver(fire, zone, found);
    }
    await fire.untilSent();
    for (const release of await releasesOf(fire))
      found.early += await claimedOf(fire, release, { claimedAt: { $lt: release.at } });
    await Promise.all([steady, sender].map((worker) => worker.stop(15_000)));
  });
  return { ...tally, ...found };
}

async function releasesOf({ context, campaign }: CampaignUnderFire): Promise<Release[]> {
  return (await readCampaign(context, campaign._id)).freeze?.releases ?? [];
}

async function setMoment({ context, campaign }: CampaignUnderFire, zone: number): Promise<void> {
  const { deps, project } = context;
  const at = new Date(Date.now() + SOON_MS);
  await deps.db.campaigns.updateOne(
    { _id: campaign._id, projectId: project._id },
    { $set: { [`freeze.releases.${zone}.at`]: at } },
  );
}

async function untilZoneOver(fire: CampaignUnderFire, zone: number, found: { wrongZones: number }): Promise<void> {
  const { context } = fire;
  const isOver = async () => {
    const campaign = await readCampaign(context, fire.campaign._id);
    const { zones: shown } = await shownReleases(context.deps, campaign);
    const release = campaign.freeze?.releases?.[zone] as Release;
    const claimed = await claimedOf(fire, release);
    if (shown.some(({ sent, total }) => sent < 0 || sent > total)) found.wrongZones += 1;
    if (shown.slice(zone + 1).some(({ sent }) => sent > 0)) found.wrongZones += 1;
    return claimed === release.total;
  };
  await until(`everybody of zone ${zone} has a row`, isOver, WITHIN_MS, 100);
}

function claimedOf({ context, campaign }: CampaignUnderFire, { fromSeq, total }: Release, more: object = {}) {
  const { deps, project } = context;
  const seq = { $gte: fromSeq, $lt: fromSeq + total };
  return deps.db.messages.countDocuments({ projectId: project._id, campaignId: campaign._id, seq, ...more });
}
