import type { Child } from '../../../stack/processes/child.ts';
import { withServers } from '../../rig/servers.ts';
import { atOnce, pause } from '../../rig/waiting.ts';
import { type CampaignDrill, type CampaignTally, campaignUnderFire } from './campaigns.ts';

interface CampaignKill extends CampaignDrill {
  kills: number;
  /** Kills the process that sends alone; else the one that does everything. */
  sendersOnly?: boolean;
}

/** kill -9 of a process in mid-work, again and again. */
export async function campaignKill(env: NodeJS.ProcessEnv, drill: CampaignKill): Promise<CampaignTally> {
  return campaignUnderFire(env, drill, async (fire) => {
    const steady = drill.sendersOnly ? [await fire.startWorker('workflows,background')] : [];
    const lanes = drill.sendersOnly ? 'campaign' : undefined;
    for (let kill = 0; kill < drill.kills; kill += 1) {
      const worker = await fire.startWorker(lanes);
      await fire.untilMoving();
      await pause(400 + Math.random() * 600);
      await fire.noteFault();
      worker.kill('SIGKILL');
      await worker.exited;
      if (drill.hurry) await fire.endLeases();
    }
    const worker = await fire.startWorker(lanes);
    await fire.untilSent();
    await stopAll([...steady, worker]);
  });
}

/** kill -9 of a server under two sending processes, which must all stay. */
export async function serverKill(
  kind: 'mongodb' | 'temporal',
  drill: CampaignDrill & { kills: number; downMs: number },
): Promise<CampaignTally> {
  return withServers(async (servers, env) =>
    campaignUnderFire(env, drill, async (fire) => {
      const workers = [await fire.startWorker(), await fire.startWorker('campaign')];
      for (let kill = 0; kill < drill.kills; kill += 1) {
        await fire.untilMoving();
        await pause(200 + Math.random() * 600);
        await fire.noteFault();
        await servers[kind]?.kill('SIGKILL');
        await pause(drill.downMs);
        await servers[kind]?.start();
      }
      await fire.untilSent();
      await stopAll(workers);
    }),
  );
}

/** SIGSTOP of one of two senders, longer than any lease; SIGCONT. */
export async function campaignStop(
  env: NodeJS.ProcessEnv,
  drill: CampaignDrill & { stoppedMs: number },
): Promise<CampaignTally> {
  return campaignUnderFire(env, drill, async (fire) => {
    const steady = await fire.startWorker('workflows,background');
    const first = await fire.startWorker('campaign');
    await fire.untilMoving();
    await fire.noteFault();
    first.kill('SIGSTOP');
    const second = await fire.startWorker('campaign');
    await pause(drill.stoppedMs);
    first.kill('SIGCONT');
    await fire.untilSent();
    // The first worker sends the rest of its data, if any, when it wakes up.
    await pause(3_000);
    await stopAll([steady, first, second]);
  });
}

/** SIGTERM and a new process, every few seconds: nothing may be unknown. */
export async function campaignRolling(
  env: NodeJS.ProcessEnv,
  drill: CampaignDrill & { restarts: number; everyMs: number },
): Promise<CampaignTally & { slowestExitMs: number }> {
  let slowestExitMs = 0;
  const tally = await campaignUnderFire(env, drill, async (fire) => {
    const steady = await fire.startWorker('workflows,background');
    let sender = await fire.startWorker('campaign');
    for (let restart = 0; restart < drill.restarts; restart += 1) {
      await fire.untilMoving();
      await pause(drill.everyMs);
      await fire.noteFault();
      const [began, old] = [Date.now(), sender];
      sender = await fire.startWorker('campaign');
      await old.stop(20_000);
      slowestExitMs = Math.max(slowestExitMs, Date.now() - began);
    }
    await fire.untilSent();
    await stopAll([steady, sender]);
  });
  return { ...tally, slowestExitMs };
}

/** So many sending processes at once, undisturbed. */
export async function campaignWorkers(
  env: NodeJS.ProcessEnv,
  drill: CampaignDrill & { workers: number },
): Promise<CampaignTally> {
  return campaignUnderFire(env, drill, async (fire) => {
    const processes = { WORKER_PROCESSES: String(drill.workers) };
    const senders = await atOnce(drill.workers, () => fire.startWorker('campaign'));
    const steady = await fire.startWorker('workflows,background', processes);
    await fire.untilSent();
    await stopAll([steady, ...senders]);
  });
}

async function stopAll(workers: Child[]): Promise<void> {
  await Promise.all(workers.map((worker) => worker.stop(15_000)));
}
