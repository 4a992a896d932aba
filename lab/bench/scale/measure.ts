import { type Figure, figure, report } from '../../rig/results/report.ts';
import { fitContention, predict } from './check.ts';
import { campaignLane, type LaneRun, mailLane, requestLane } from './lanes.ts';
import { CORES } from './meter.ts';
import { enrollmentLane } from './runs.ts';

const PROCESS_COUNTS = [1, 2, 4, 8];
const API_COUNTS = [1, 2, 4];
const RECIPIENTS = 50_000;
const BACKLOG = 40_000;
const PROJECTS = 50;
/** The cores are idle then, and the connections of each process alone decide. */
const SLOW_MS = 200;
const SLOW_CONNECTIONS = 32;
const SLOW_SECONDS = 15;
const SECONDS = 6;
const PEOPLE = 200;

/** Each with one process and with several, on this machine; the model reads the first and must predict the others. */
const lanes: Record<string, () => Promise<Figure[]>> = {
  campaign: async () => {
    const runs: LaneRun[] = [];
    for (const senders of PROCESS_COUNTS) {
      runs.push(await campaignLane(senders, RECIPIENTS));
      console.log(`campaign, ${senders} senders: ${Math.round(runs.at(-1)?.perSecond ?? 0)} a second`);
    }
    return ofLane('campaign', ['sender', 'senders'], runs);
  },
  mail: async () => ofLane('transactional lane', PROCESSES, await mailLane(PROCESS_COUNTS, { backlog: () => BACKLOG })),
  'mail-projects': async () => {
    const runs = await mailLane(PROCESS_COUNTS, { backlog: () => BACKLOG, projects: PROJECTS });
    return ofLane(`transactional lane of ${PROJECTS} projects`, PROCESSES, runs);
  },
  'mail-slow': async () => {
    const connections = (processes: number) => SLOW_CONNECTIONS * processes;
    const backlog = (processes: number) => (connections(processes) * SLOW_SECONDS * 1_000) / SLOW_MS;
    const runs = await mailLane(PROCESS_COUNTS, { backlog, connections, warm: backlog(1) / 4, ackMs: SLOW_MS });
    const relay = `a relay that answers after ${SLOW_MS} ms, ${SLOW_CONNECTIONS} connections a process`;
    return ofLane(`transactional lane at ${relay}`, PROCESSES, runs);
  },
  requests: async () => {
    const { send, batch, contact } = await requestLane(API_COUNTS, SECONDS);
    const others = [...ofRun('POST /mails/batch of 10', batch), ...ofRun('POST /contacts/email', contact)];
    return [...ofLane('POST /mails/send', PROCESSES, send), ...others];
  },
  enrollments: async () => ofRun('enrollments', await enrollmentLane(PEOPLE)),
};

/** The lanes that are named, or all. */
export async function measure(names: readonly string[]): Promise<void> {
  for (const name of names.length > 0 ? names : Object.keys(lanes)) {
    const lane = lanes[name];
    if (!lane) throw new Error(`There is no lane "${name}" but ${Object.keys(lanes).join(', ')}.`);
    report('scale', await lane());
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
  return [...figures, figure(`${lane}, contention fitted`, '', [contention], { note })];
}

function ofRun(name: string, { perSecond, micros, written }: LaneRun): Figure[] {
  return [
    figure(name, '/s', [perSecond]),
    ...Object.entries(micros).map(([part, each]) => figure(`${name}, CPU of ${part} each`, 'us', [each])),
    ...(written
      ? [
          figure(`${name}, stored each`, 'bytes', [written.bytes]),
          figure(`${name}, documents written each`, '', [written.documents]),
        ]
      : []),
  ];
}

function percent(predicted: number, measured: number): string {
  const off = Math.round((predicted / measured - 1) * 100);
  return `${off > 0 ? '+' : ''}${off} %`;
}
