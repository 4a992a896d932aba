import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line, Results } from '../../rig/results/report.ts';

/** The processes of Everpost by role, and the servers. A process with several roles counts for each of them. */
export const PARTS = [
  'api',
  'mail',
  'campaign',
  'background',
  'workflows',
  'submission',
  'mongod',
  'temporal',
  'redis',
] as const;
export type Part = (typeof PARTS)[number];

/** A number and the recorded figure it was read from. */
export interface Measured {
  value: number;
  from: string;
}

/** A kind of work, and what one unit of it costs. */
export interface Work {
  name: string;
  unit: string;
  /** CPU time of each part for one unit, in microseconds. */
  micros: Partial<Record<Part, Measured>>;
  /** The rate that one process of a part reached alone. Other parts are taken to reach a core of CPU. */
  alone: Partial<Record<Part, Measured>>;
  /** Bytes that MongoDB stores for one unit, indexes included. */
  bytes?: Measured;
  /** Documents that MongoDB writes for one unit. */
  writes?: Measured;
  /** Mails that leave through the relay for one unit. */
  mails: number;
  /** Parts whose share was not recorded: the model counts nothing for them, and says so. */
  notRecorded: readonly Part[];
}

export interface Costs {
  works: Work[];
  /** CPU of a sender for both signatures of a mail. */
  signature: Measured;
  /** Highest resident memory of a process under load, MB. */
  memory: Partial<Record<Part, Measured>>;
}

/** The recorded figure of this name. */
export type Records = (bench: string, name: string) => Line | undefined;

const folder = join(import.meta.dirname, '../../results/bench');

export function linesOf(bench: string, at = folder): Line[] {
  try {
    return (JSON.parse(readFileSync(join(at, `${bench}.json`), 'utf8')) as Results).figures;
  } catch {
    throw new Error(`There is no record ${bench}.json in lab/results/bench: npm run bench -- ${command(bench)}`);
  }
}

const recorded: Records = (bench, name) => linesOf(bench).find((line) => line.name === name);

/** Throws when a figure is missing: a model with a hole would show a limit that is none. */
export function readCosts(records: Records = recorded): Costs {
  const { figure, noted, sum } = readers(records);
  const cpu = (lane: string, part: Part) => figure('scale', `${lane}, CPU of ${part} each`);
  const cpus = (lane: string, ...parts: Part[]) => Object.fromEntries(parts.map((part) => [part, cpu(lane, part)]));
  const stored = (lane: string) => ({
    bytes: figure('scale', `${lane}, stored each`),
    writes: figure('scale', `${lane}, documents written each`),
  });
  const bySmtp = 'mails by SMTP at 64 connections';
  const ofAutomations = 'automation lane, 100000 waiting, DKIM by the relay';
  const singles = 'transactional lane, 100000 waiting, DKIM by the relay';
  const clicks = 'opens and clicks asked at 1600/s with 20 behaviour segments, until the last is counted';
  const peak = (process: string) => figure('campaign', `Highest resident memory, ${process}`);
  const works: Work[] = [
    work('campaign', 'recipient of a campaign, freeze included', {
      micros: cpus(ONE.campaign, 'campaign', 'background', 'mongod', 'temporal', 'redis'),
      alone: { campaign: figure('scale', ONE.campaign) },
      ...stored(ONE.campaign),
      mails: 1,
    }),
    work('single', 'mail by POST /mails/send, accepted and delivered', {
      micros: {
        ...cpus(ONE.mail, 'mail', 'redis'),
        ...cpus(ONE.api, 'api'),
        mongod: sum(cpu(ONE.api, 'mongod'), cpu(ONE.mail, 'mongod')),
      },
      alone: { mail: figure('scale', ONE.mail), api: figure('scale', ONE.api) },
      ...stored(ONE.mail),
      mails: 1,
    }),
    work('batch', 'call of POST /mails/batch with 10 mails, accepted', {
      micros: cpus('POST /mails/batch of 10', 'api', 'mongod'),
      alone: { api: figure('scale', 'POST /mails/batch of 10') },
    }),
    work('automation', 'mail of an automation, delivered', {
      micros: {
        mail: figure('sending', `${ofAutomations}, CPU of the worker for each mail`),
        mongod: figure('sending', `${ofAutomations}, CPU of mongod for each mail`),
      },
      alone: { mail: figure('sending', ofAutomations) },
      mails: 1,
      notRecorded: ['redis'],
    }),
    work('submission', 'mail by SMTP, accepted', {
      micros: {
        submission: figure('submission', `${bySmtp}, CPU of the submission process each`),
        mongod: figure('submission', `${bySmtp}, CPU of mongod each`),
      },
      alone: { submission: figure('submission', bySmtp) },
    }),
    work('contact', 'contact written by POST /contacts/email', {
      micros: cpus('POST /contacts/email', 'api', 'mongod'),
      alone: { api: figure('scale', 'POST /contacts/email') },
    }),
    work('form', 'form sent by a visitor', {
      micros: { api: figure('forms', 'a form, CPU of the API process') },
      alone: { background: figure('forms', 'handled by the job') },
      notRecorded: ['mongod'],
    }),
    work('click', 'open or click, noted and counted for 20 segments', {
      micros: {
        api: noted('audience', clicks, 'API'),
        background: noted('audience', clicks, 'worker'),
        mongod: noted('audience', clicks, 'mongod'),
      },
      alone: { api: figure('comes-back', 'Pixels and clicks, as fast as they are answered at 64 connections') },
      notRecorded: ['redis'],
    }),
    work('enrollment', 'contact that enters an automation, until its first wait', {
      micros: cpus('enrollments', 'background', 'mongod', 'temporal', 'redis'),
      alone: { background: figure('scale', 'enrollments') },
    }),
    wholeMachine('import', 'row of imports, each by one process, into lists with segments', 'audience', importRows),
    wholeMachine('migration', 'contact of migrations from exports, each by one process', 'migrations', migrated),
  ];
  return {
    works,
    signature: figure('campaign', 'CPU of the senders for each recipient, what both signatures add'),
    memory: {
      api: peak('api'),
      background: peak('background'),
      workflows: peak('background'),
      campaign: peak('sender'),
      mail: figure('sending', `${singles}, RSS of the worker in the last quarter`),
    },
  };

  /** Only the rate was recorded: all of both cores is counted for MongoDB, so the true cost is lower. */
  function wholeMachine(name: string, unit: string, bench: string, of: string): Work {
    const rate = figure(bench, of);
    const from = `${rate.from}: at most, both cores counted for MongoDB`;
    const micros = { mongod: { value: 2e6 / rate.value, from } };
    return work(name, unit, { micros, alone: { background: rate }, notRecorded: ['background'] });
  }
}

function work(name: string, unit: string, costs: Pick<Work, 'micros' | 'alone'> & Partial<Work>): Work {
  return { name, unit, mails: 0, notRecorded: [], ...costs };
}

/** Lanes with one process, as the measurement names them. */
const ONE = {
  campaign: 'campaign, 1 sender',
  mail: 'transactional lane, 1 process',
  api: 'POST /mails/send, 1 process',
};
const importRows = 'import of 1000000 rows into 50 lists with 3 segments';
const migrated = 'provider A: 100000 contacts from an export';

function readers(records: Records) {
  const find = (bench: string, name: string) => {
    const line = records(bench, name);
    if (!line)
      throw new Error(`lab/results/bench/${bench}.json has no figure "${name}": npm run bench -- ${command(bench)}`);
    return line;
  };
  const figure = (bench: string, name: string): Measured => ({
    value: find(bench, name).median,
    from: `${bench}: ${name}`,
  });
  /** The median of the rounds that a note lists: "mongod 631, 522, 524 us". */
  const noted = (bench: string, name: string, of: string): Measured => {
    const [, list] = new RegExp(`\\b${of} ([\\d., ]+) us`).exec(find(bench, name).note ?? '') ?? [];
    const values = (list ?? '')
      .split(', ')
      .map(Number)
      .toSorted((a, b) => a - b);
    const value = values[Math.floor((values.length - 1) / 2)];
    if (!value) throw new Error(`The note of "${name}" in ${bench}.json names no CPU of ${of}.`);
    return { value, from: `${bench}: ${name} (note)` };
  };
  const sum = (a: Measured, b: Measured): Measured => ({ value: a.value + b.value, from: `${a.from}; ${b.from}` });
  return { figure, noted, sum };
}

function command(bench: string): string {
  return bench === 'scale' ? 'scale --measure' : bench;
}
