import { withServers } from '../../rig/servers.ts';
import { call } from '../../rig/traffic/calls.ts';
import { pause } from '../../rig/waiting.ts';
import { type CampaignDrill, type CampaignTally, campaignUnderFire } from './campaigns.ts';

export interface DecisionsTally extends CampaignTally {
  suppressed: number;
  /** Suppressed, and claimed after the call was answered. */
  claimedLate: number;
  decision: 'pause' | 'abort';
  settledMs: number;
  /** Reached the relay after the answer to the decision. */
  arrivedLate: number;
}

/**
 * Temporal is killed while pages are under way. Half-way 1,000 people are suppressed, and then it is decided: what holds is what the
 * senders read with each claim, so nothing waits for Temporal. A paused campaign resumes when Temporal is back.
 */
export async function campaignDecisions(
  drill: CampaignDrill & { suppressed: number; decision: 'pause' | 'abort' },
): Promise<DecisionsTally> {
  const { suppressed, decision } = drill;
  const found = { suppressed, decision, claimedLate: 0, settledMs: 0, arrivedLate: 0 };
  const tally = await withServers(async (servers, env) =>
    campaignUnderFire(env, drill, async ({ context, campaign, startWorker, untilMoving, untilSent }) => {
      const { deps, project, sink } = context;
      const { url } = await context.startApi();
      const post = (path: string, body: object) => call(context, url + path, body);
      const arrived = async () => (await sink.stats()).unique;
      const workers = [await startWorker(), await startWorker('campaign')];
      await untilMoving();
      await servers.temporal?.kill('SIGKILL');
      while ((await arrived()) < drill.recipients / 10) await pause(20);
      // The last ones by place, so that most of them are still waiting.
      const last = {
        projectId: project._id,
        campaignId: campaign._id,
        seq: { $gt: drill.recipients - drill.suppressed },
      };
      const blocks = await deps.db.campaignBlocks.find({ projectId: project._id, campaignId: campaign._id }).toArray();
      const emails = blocks
        .toSorted((one, other) => one.fromSeq - other.fromSeq)
        .flatMap(({ recipients }) => recipients.map(({ email }) => email))
        .slice(-drill.suppressed);
      await post('/suppression-groups/emails/suppress', { emails, reason: 'UNSUBSCRIBE' });
      const { localTime } = await deps.mongo.db('admin').command({ hello: 1 });
      const began = performance.now();
      await post(`/campaigns/${campaign._id.toHexString()}/${drill.decision}`, {});
      found.settledMs = Math.round(performance.now() - began);
      const before = await arrived();
      await pause(2_000);
      found.arrivedLate = (await arrived()) - before;
      await servers.temporal?.start();
      if (drill.decision === 'pause') {
        await post(`/campaigns/${campaign._id.toHexString()}/resume`, {});
        await untilSent();
      } else await pause(5_000);
      found.arrivedLate += drill.decision === 'abort' ? (await arrived()) - before : 0;
      found.claimedLate = await deps.db.messages.countDocuments({
        ...last,
        state: { $ne: 'suppressed' },
        claimedAt: { $gt: localTime as Date },
      });
      await Promise.all(workers.map((worker) => worker.stop(15_000)));
    }),
  );
  return { ...tally, ...found };
}
