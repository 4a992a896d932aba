import { type Figure, report } from '../../rig/results/report.ts';
import { fitContention, predict } from './check.ts';
import { campaignLane, type LaneRun, mailLane, requestLane } from './lanes.ts';
import { CORES } from './meter.ts';
import { enrollmentLane } from './runs.ts';

export interface Size {
  processes: readonly number[];
  apis: readonly number[];
  recipients: number;
  backlog: number;
  seconds: number;
  people: number;
  isKept: boolean;
}

type Lane = (size: Size) => Promise<Figure[]>;

/** Each with one process and with several, on this machine; the model reads the first and must predict the others. */
const lanes: Record<string, Lane> = {
  campaign: async ({ processes, recipients }) => {
    const runs: LaneRun[] = [];
    for (const senders of processes) {
      runs.push(await campaignLane(senders, recipients));
      console.log(`campaign, ${senders} senders: ${Math.round(runs.at(-1)?.perSecond ?? 0)} a second`);
    }
    return ofLane('campaign', ['sender', 'senders'], runs);
  },
  mail: async ({ processes, backlog }) => ofLane('transactional lane', PROCESSES, await mailLane(processes, backlog)),
  requests: async ({ apis, seconds }) => {
    const { send, batch, contact } = await requestLane(apis, seconds);
    const others = [...ofRun('POST /mails/batch of 10', batch), ...ofRun('POST /contacts/email', contact)];
    return [...ofLane('POST /mails/send', PROCESSES, send), ...others];
  },
  enrollments: async ({ people }) => ofRun('enrollments', await enrollmentLane(people)),
};

/** The lanes that are named, or all. */
export async function measure(names: readonly string[], size: Size): Promise<void> {
  for (const name of names.length > 0 ? names : Object.keys(lanes)) {
    const lane = lanes[name];
    if (!lane) throw new Error(`There is no lane "${name}" but ${Object.keys(lanes).join(', ')}.`);
    report('scale', await lane(size), { isKept: size.isKept });
  }
}

const PROCESSES = ['process', 'processes'] as const;

function ofLane(lane: string, [single, several]: readonly [string, string], runs: LaneRun[]): Figure[] {
  const [one] = runs;
  if (!one) return [];
  const contention = fitContention(runs, CORES);
  const figures = runs.flatMap((run) => {
    const name = `${lane}, ${run.processes} ${run.processes === 1 ? single : several}`;
    if (run === one) return ofRun(name, run);
    const [figure, ...costs] = ofRun(name, run);
    const fitted = predict(one, run.processes, CORES, contention);
    const note = `with the contention fitted to this lane ${Math.round(fitted)}, off by ${percent(fitted, run.perSecond)}`;
    const predicted = predict(one, run.processes, CORES);
    const ceiling = {
      name: `the model, from one process (off by ${percent(predicted, run.perSecond)})`,
      values: [predicted],
    };
    return [{ ...(figure as Figure), ceiling, note }, ...costs];
  });
  const note = 'growth of the cost of a unit for each further process a core; 0: none';
  return [...figures, { name: `${lane}, contention fitted`, unit: '', values: [contention], note }];
}

function ofRun(name: string, { perSecond, micros, written }: LaneRun): Figure[] {
  return [
    { name, unit: '/s', values: [perSecond] },
    ...Object.entries(micros).map(([part, each]) => ({
      name: `${name}, CPU of ${part} each`,
      unit: 'us',
      values: [each],
    })),
    ...(written
      ? [
          { name: `${name}, stored each`, unit: 'bytes', values: [written.bytes] },
          { name: `${name}, documents written each`, unit: '', values: [written.documents] },
        ]
      : []),
  ];
}

function percent(predicted: number, measured: number): string {
  const off = Math.round((predicted / measured - 1) * 100);
  return `${off > 0 ? '+' : ''}${off} %`;
}
