import { type DrillContext, SENDER, withDrill } from '../../rig/context.ts';
import { ask, noCalls } from '../../rig/traffic/calls.ts';
import { pause } from '../../rig/waiting.ts';
import { drain, tally } from './worker-kill.ts';

interface ApiKill {
  keys: number;
  kills: number;
  /** Does not wait until the leases of the killed are over: their time is set back instead. */
  hurry?: boolean;
}

interface ApiTally {
  keys: number;
  kills: number;
  mails: number;
  /** Keys that were answered with more than one emailId. */
  ambiguous: number;
  lost: number;
  duplicates: number;
  /** Requests that were repeated: the connection broke, or 409 or 503 came. */
  repeats: number;
}

const AGAIN_MS = 200;

/** kill -9 of the API while all keys are under way at once; clients repeat until they have a 2xx, and then ask once more. */
export function apiKill(env: NodeJS.ProcessEnv, { keys, kills, hurry }: ApiKill): Promise<ApiTally> {
  return withDrill(env, { ackMs: 0 }, async (context) => {
    let api = await context.startApi();
    const calls = noCalls();
    const line = { key: context.key, urls: () => [api.url], againMs: AGAIN_MS };
    const send = async (index: number) => {
      const body = { to: { email: `k${index}@in.test` }, from: { email: SENDER }, subject: 'Once', text: 'Once.' };
      const request = { path: '/mails/send', body, idempotencyKey: `key ${index}` };
      const data = await ask(line, request, calls, () => true);
      if (!data) throw new Error(`refused with ${[...calls.wrong.keys()]}`);
      return String(data.emailId);
    };
    const all = Array.from({ length: keys }, (_, index) => index);
    const clients = all.map(send);
    for (let kill = 0; kill < kills; kill++) {
      const before = calls.answered;
      while (calls.answered < Math.min(keys - 1, before + keys / (kills + 2))) await pause(2);
      api.child.kill('SIGKILL');
      await api.child.exited;
      if (hurry) await endLeases(context);
      api = await context.startApi();
    }
    const first = await Promise.all(clients);
    let ambiguous = 0;
    for (const index of all) if ((await send(index)) !== first[index]) ambiguous += 1;
    await drain(context, keys);
    const mails = await context.deps.db.messages.countDocuments({ projectId: context.project._id });
    const { lost, duplicates } = await tally(context);
    const repeats = calls.refused + calls.cut + calls.unavailable + calls.waited + calls.hung;
    return { keys, kills, mails, ambiguous, lost, duplicates, repeats };
  });
}

async function endLeases({ deps }: DrillContext): Promise<void> {
  await deps.db.idempotency.updateMany({ state: 'running' }, { $set: { leaseUntil: new Date(0) } });
}
