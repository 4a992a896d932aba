import { withDrill } from '../../rig/context.ts';
import { pause } from '../../rig/waiting.ts';
import {
  connectionsWhenStopped,
  drained,
  type Kind,
  noteKill,
  nothingAtKills,
  queueBoth,
  type Tally,
  tallyBoth,
  type WorkerKill,
  workerEnv,
} from './worker-kill.ts';

interface WorkerStop extends Pick<WorkerKill, 'mails' | 'evidence' | 'connections' | 'ackMs'> {
  stoppedMs: number;
}

/**
 * SIGSTOP of a worker in mid-work; a second one takes over when its leases are over; SIGCONT. Mail that it had claimed and not handed
 * over must not leave any more, and a 250 that waited in its sockets must still land.
 */
export function workerStop(env: NodeJS.ProcessEnv, drill: WorkerStop): Promise<Record<Kind, Tally>> {
  return withDrill(env, { ackMs: drill.ackMs }, async (context) => {
    await queueBoth(context, drill);
    const since = new Date();
    const first = await context.startWorker(workerEnv(context, drill));
    await pause(700);
    const connections = await connectionsWhenStopped(context, first);
    const atKills = nothingAtKills();
    await noteKill(context, atKills, { connections, since });
    const second = await context.startWorker(workerEnv(context, drill));
    await pause(drill.stoppedMs);
    first.kill('SIGCONT');
    await drained(context, { mails: drill.mails * 2 });
    // The first worker sends the rest of its data, if any, when it wakes up.
    await pause(3_000);
    await Promise.all([first.stop(10_000), second.stop(10_000)]);
    return await tallyBoth(context, { ...drill, kills: 1 }, atKills);
  });
}
