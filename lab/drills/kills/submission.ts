import { createTransport } from 'nodemailer';
import { anyFreePort } from '../../../stack/ports.ts';
import { type DrillContext, SENDER, withDrill } from '../../rig/context.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { inLanes, pause } from '../../rig/waiting.ts';
import type { Drill } from '../drill.ts';
import { drain } from './worker-kill.ts';

interface SubmissionKill {
  mails: number;
  /** kill -9 of the submission process while the mails are handed over. */
  kills: number;
}

interface SubmissionTally extends SubmissionKill {
  /** Mails of 250 that are not with the relay. */
  lost: number;
  /** Mails that the relay has more than once. */
  twice: number;
  /** Message-IDs that no client handed over. */
  strangers: number;
  /** Rows of the ledger beyond one for each mail, and below it. */
  rows: number;
  /** Mails whose tries were answered with different emailIds. */
  ambiguous: number;
  repeats: number;
  seconds: number;
}

const CLIENTS = 16;
const AGAIN_MS = 100;
/** Every so many mails are large enough for storage of their own. */
const LARGE_EACH = 50;
const LARGE = `${'x'.repeat(98)}\r\n`.repeat(4_000);

/** kill -9 of the submission process under load. Clients repeat each mail until it is taken, and then hand some over once more. */
export function submissionKill(env: NodeJS.ProcessEnv, { mails, kills }: SubmissionKill): Promise<SubmissionTally> {
  return withDrill(env, { ackMs: 0 }, async (context) => {
    const port = await anyFreePort();
    const start = () =>
      context.startWorker({ WORKER_LANES: 'submission', SUBMISSION_PORT: String(port), RATE_LIMIT: '1000000' });
    let server = await start();
    const began = performance.now();
    const ids = Array.from({ length: mails }, () => new Set<string>());
    let repeats = 0;
    let taken = 0;
    let isBroken = false;
    const handing = inLanes(CLIENTS, mails, async (index) => {
      const given = ids[index]!;
      given.add(await handUntilTaken(context, port, index, () => (repeats += 1)));
      taken += 1;
      if (index % 10 === 0) given.add(await handUntilTaken(context, port, index, () => (repeats += 1)));
    });
    handing.catch(() => {
      isBroken = true;
    });
    for (let kill = 1; kill <= kills; kill += 1) {
      while (!isBroken && taken < (mails * kill) / (kills + 1)) await pause(5);
      server.kill('SIGKILL');
      await server.exited;
      server = await start();
    }
    await handing;
    const seconds = Math.round((performance.now() - began) / 1_000);
    const ambiguous = ids.filter(({ size }) => size !== 1).length;
    await drain(context, mails);
    return { mails, kills, ...(await count(context, mails)), ambiguous, repeats, seconds };
  });
}

const messageIdOf = (index: number) => `<submitted-${index}@app.example>`;

/** A connection for each try, as a client has that was started again. */
async function handUntilTaken({ key }: DrillContext, port: number, index: number, onRepeat: () => void) {
  const mail = {
    ...{ from: SENDER, to: `s${index}@in.test`, subject: `Mail ${index}`, messageId: messageIdOf(index) },
    text: `Once. ${index % LARGE_EACH === 0 ? LARGE : ''}`,
  };
  for (;;) {
    const transport = createTransport({ host: '127.0.0.1', port, auth: { user: 'drill', pass: key } });
    try {
      const { response } = (await transport.sendMail(mail)) as { response: string };
      return response.split(' ').at(-1)!;
    } catch (error) {
      const { responseCode = 0, message } = error as Error & { responseCode?: number };
      if (responseCode >= 500) throw new Error(`refused: ${message}`);
    } finally {
      transport.close();
    }
    onRepeat();
    await pause(AGAIN_MS);
  }
}

async function count({ sink, deps, project }: DrillContext, mails: number) {
  const accepted = await sink.ids();
  const wanted = new Set(Array.from({ length: mails }, (_, index) => messageIdOf(index)));
  return {
    lost: [...wanted].filter((id) => !accepted.has(id)).length,
    twice: [...accepted.values()].filter((times) => times > 1).length,
    strangers: [...accepted.keys()].filter((id) => !wanted.has(id)).length,
    rows: (await deps.db.messages.countDocuments({ projectId: project._id })) - mails,
  };
}

export function judgeSubmission(tally: SubmissionTally): Verdict {
  const { mails, kills, lost, twice, strangers, rows, ambiguous, repeats, seconds } = tally;
  return {
    kept: lost + twice + strangers + ambiguous === 0 && rows === 0 && repeats > 0,
    says: `${mails} mails by nodemailer in ${seconds} s, the submission process killed ${kills} times, tries repeated ${repeats}, lost ${lost}, twice ${twice}, strangers ${strangers}, rows too many ${rows}, mails with two emailIds ${ambiguous}`,
  };
}

export const submissionDrill: Drill = {
  does: 'kill -9 of the submission process 20 times among 10,000 mails by SMTP, clients repeating',
  async *run(env) {
    yield judgeSubmission(await submissionKill(env, { mails: 10_000, kills: 20 }));
  },
};
