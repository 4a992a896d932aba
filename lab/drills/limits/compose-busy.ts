import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { sendBulk } from '../../../core/mail/accept/bulk.ts';
import { type DrillContext, openDrill, origin, SENDER } from '../../rig/context.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { drain } from '../kills/worker-kill.ts';

interface BusyTally {
  mails: number;
  burners: number;
  sent: number;
  failed: number;
  /** Attempts to compose that the clock ended. */
  ended: number;
}

const TOGETHER = 100;
const ROWS = 150;

/** Ordinary mails are composed while a process burns each core: budgets count steps, so none of them fails for want of time. */
export async function composeBusy(env: NodeJS.ProcessEnv, { mails }: { mails: number }): Promise<BusyTally> {
  const context = await openDrill(env, { ackMs: 1 });
  const burners = Array.from({ length: availableParallelism() }, burn);
  try {
    await queueOrdinary(context, mails);
    await drain(context, mails);
    return { mails, burners: burners.length, ...(await tally(context)) };
  } finally {
    for (const burner of burners) burner.kill('SIGKILL');
    await context.close();
  }
}

export function judgeBusy({ mails, burners, sent, failed, ended }: BusyTally): Verdict {
  return {
    kept: sent === mails && failed === 0,
    says: `${mails} mails of ${Math.round(ordinaryHtml().length / 1_000)} kB beside ${burners} processes that burn a core each: sent ${sent}, failed ${failed}, attempts ended by the clock ${ended}`,
  };
}

/** Leaves with the process that started it: the pipe to it closes. */
function burn() {
  const source =
    "process.stdin.resume().on('end', () => process.exit()); (function burn() { const until = Date.now() + 50; while (Date.now() < until); setImmediate(burn); })()";
  return spawn(process.execPath, ['-e', source], { stdio: ['pipe', 'ignore', 'ignore'] });
}

/** A newsletter of usual size, with a greeting, loops and links that are tracked. */
function ordinaryHtml(): string {
  const row =
    '<tr><td style="padding:4px"><a href="https://example.com/article?of={{email}}">Read more</a> about it.</td></tr>\n';
  return `<html><body><h1>Hello {{name default="you"}}</h1><table>${row.repeat(ROWS)}</table>{{#each items}}<p>{{this}}</p>{{/each}}</body></html>`;
}

async function queueOrdinary({ deps, project }: DrillContext, mails: number): Promise<void> {
  for (let from = 0; from < mails; from += TOGETHER) {
    const recipients = Array.from({ length: Math.min(TOGETHER, mails - from) }, (_, index) => ({
      email: `p${from + index}@in.test`,
      dynamicData: { name: `Person ${from + index}`, items: ['one', 'two', 'three'] },
    }));
    const mail = { from: { email: SENDER }, subject: 'News', html: ordinaryHtml(), recipients };
    await sendBulk(deps, project, mail, origin());
  }
}

async function tally({ deps, project }: DrillContext): Promise<Pick<BusyTally, 'sent' | 'failed' | 'ended'>> {
  const count = (filter: object) => deps.db.messages.countDocuments({ projectId: project._id, ...filter });
  const [sent, failed, ended] = await Promise.all([
    count({ state: 'sent' }),
    count({ state: 'failed' }),
    count({ 'timeline.type': 'not_composed' }),
  ]);
  return { sent, failed, ended };
}
