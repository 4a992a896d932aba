import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { doubtAfterRestore } from '../../../core/campaigns/audience/after-restore.ts';
import { type DrillContext, withDrill } from '../../rig/context.ts';
import { broken, check, type Findings, tell } from '../../rig/facts/check.ts';
import { readFacts } from '../../rig/facts/facts.ts';
import { untilSettled } from '../../rig/facts/settled.ts';
import { type Verdict, verdict } from '../../rig/results/drill-results.ts';
import { withServers } from '../../rig/servers.ts';
import { until } from '../../rig/waiting.ts';
import { queueBoth, workerEnv } from '../kills/worker-kill.ts';

export interface RestoreTally {
  evidence: boolean;
  /** Taken by the relay between the backup and the loss of the database. */
  sentSince: number;
  /** Of those, in the lane that repeats. */
  repeatable: number;
  doubted: number;
  found: Findings;
}

/** mongod's files are copied while mails drain; later they are lost, and what was copied takes their place. */
export function restore({ mails, evidence }: { mails: number; evidence: boolean }): Promise<RestoreTally> {
  return withServers(
    ({ mongodb }, env) =>
      withDrill(env, { ackMs: 20 }, async (context) => {
        const settings = workerEnv(context, { evidence, connections: 10 });
        const folder = join(env.DATA_DIR ?? '', 'mongodb');
        await queueBoth(context, { mails });
        const worker = await context.startWorker(settings);
        const taken = async () => (await context.sink.stats()).unique;
        await until('a third is sent', async () => (await taken()) > (mails * 2) / 3);
        await copyFiles(context, folder, `${folder}-backup`);
        const before = await taken();
        await until('two thirds are sent', async () => (await taken()) > (mails * 4) / 3);
        await worker.stop(15_000);
        const sentSince = (await taken()) - before;
        const sentAtLoss = await countSent(context);

        await mongodb?.kill('SIGKILL');
        rmSync(folder, { recursive: true });
        renameSync(`${folder}-backup`, folder);
        await mongodb?.start();
        // The backup decides: mail was sent while its files were copied.
        const repeatable = sentAtLoss - (await countSent(context));
        const { doubted } = await doubtAfterRestore(context.deps, context.project);
        const next = await context.startWorker(settings);
        await untilSettled(context);
        await next.stop(15_000);
        return { evidence, sentSince, repeatable, doubted, found: check(await readFacts(context)) };
      }),
    { kinds: ['mongodb', 'redis'] },
  );
}

/** Nothing repeated where the relay can be asked; else what the transactional lane had sent since, and the rest is listed. */
export function judgeRestore({ evidence, sentSince, repeatable, doubted, found }: RestoreTally): Verdict {
  const inHand = 2 * 10 + 64;
  const allowed = evidence ? {} : { duplicates: repeatable + inHand, unknown: doubted };
  const faulty = [...broken(found, allowed), ...(sentSince === 0 ? ['nothing was sent since the backup'] : [])];
  return verdict(faulty, [
    `${evidence ? 'with' : 'without'} evidence: ${found.mails} mails, ${sentSince} sent since the backup, ${doubted} in doubt after its restore`,
    tell(found),
  ]);
}

async function countSent({ deps, project }: DrillContext): Promise<number> {
  return deps.db.messages.countDocuments({ projectId: project._id, lane: 'transactional', state: 'sent' });
}

/** Writes wait during the copy, for about as long as a snapshot of the disk would take. */
async function copyFiles({ deps }: DrillContext, from: string, to: string): Promise<void> {
  const admin = deps.mongo.db('admin');
  await admin.command({ fsync: 1, lock: true });
  try {
    cpSync(from, to, { recursive: true });
  } finally {
    await admin.command({ fsyncUnlock: 1 });
  }
}
