import { openDrill } from './context.ts';
import { drained, queueMails, type Tally, tally, type WorkerKill, workerEnv } from './worker-kill.ts';

export interface WorkerStop extends Pick<WorkerKill, 'mails' | 'lane' | 'evidence' | 'connections' | 'ackMs'> {
  stoppedMs: number;
}

/**
 * SIGSTOP of a worker in mid-work; a second one takes over when its leases are over; SIGCONT. What it had claimed and not handed over
 * must not leave any more, and a 250 that waited in its sockets must still land.
 */
export async function workerStop(env: NodeJS.ProcessEnv, drill: WorkerStop): Promise<Tally> {
  const context = await openDrill(env, { ackMs: drill.ackMs });
  try {
    await queueMails(context, drill);
    const first = await context.startWorker(workerEnv(context, drill));
    await new Promise((resolve) => setTimeout(resolve, 700));
    const connectionsAtKills = await context.sink.connectionsOpen();
    first.kill('SIGSTOP');
    const second = await context.startWorker(workerEnv(context, drill));
    await new Promise((resolve) => setTimeout(resolve, drill.stoppedMs));
    first.kill('SIGCONT');
    await drained(context, drill);
    // What the first one still has to say, it says when it wakes up.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await Promise.all([first.stop(10_000), second.stop(10_000)]);
    return { ...(await tally(context)), mails: drill.mails, kills: 1, connectionsAtKills };
  } finally {
    await context.close();
  }
}
