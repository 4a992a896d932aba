import { type DrillContext, SENDER, withDrill } from '../../rig/context.ts';
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
export function apiKill(env: NodeJS.ProcessEnv, drill: ApiKill): Promise<ApiTally> {
  return withDrill(env, { ackMs: 0 }, async (context) => {
    let api = await context.startApi();
    let answered = 0;
    let repeats = 0;
    const clients = Array.from({ length: drill.keys }, async (_, index) => {
      const first = await sendUntilTaken(context, api.url, index, () => repeats++);
      answered += 1;
      return new Set([first]);
    });
    for (let kill = 0; kill < drill.kills; kill++) {
      const before = answered;
      while (answered < Math.min(drill.keys - 1, before + drill.keys / (drill.kills + 2))) await pause(2);
      api.child.kill('SIGKILL');
      await api.child.exited;
      if (drill.hurry) await endLeases(context);
      api = await context.startApi();
    }
    const idsOfKeys = await Promise.all(clients);
    for (const [index, ids] of idsOfKeys.entries())
      ids.add(await sendUntilTaken(context, api.url, index, () => repeats++));
    await drain(context, drill.keys);
    const mails = await context.deps.db.messages.countDocuments({ projectId: context.project._id });
    const { lost, duplicates } = await tally(context);
    const ambiguous = idsOfKeys.filter(({ size }) => size > 1).length;
    return { keys: drill.keys, kills: drill.kills, mails, ambiguous, lost, duplicates, repeats };
  });
}

async function sendUntilTaken(
  { key }: DrillContext,
  url: string,
  index: number,
  onRepeat: () => void,
): Promise<string> {
  const request = {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': `key ${index}` },
    body: JSON.stringify({
      to: { email: `k${index}@in.test` },
      from: { email: SENDER },
      subject: 'Once',
      text: 'Once.',
    }),
  };
  for (;;) {
    try {
      const answer = await fetch(`${url}/mails/send`, request);
      const { data } = (await answer.json()) as { data?: { emailId: string } };
      if (answer.ok && data) return data.emailId;
      if (answer.status < 500 && answer.status !== 409) throw new Error(`refused with ${answer.status}`);
    } catch (error) {
      if ((error as Error).message.startsWith('refused')) throw error;
    }
    onRepeat();
    await pause(AGAIN_MS);
  }
}

async function endLeases({ deps }: DrillContext): Promise<void> {
  await deps.db.idempotency.updateMany({ state: 'running' }, { $set: { leaseUntil: new Date(0) } });
}
