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
  const campaign = ONE.campaign;
  const mail = ONE.mail;
  const send = ONE.api;
  const delivered: Work['micros'] = { mail: cpu(mail, 'mail'), mongod: cpu(mail, 'mongod'), redis: cpu(mail, 'redis') };
  const deliveredAlone = { mail: figure('scale', mail) };
  const enrollment = 'enrollments';
  const batch = 'POST /mails/batch of 10';
  const contacts = 'POST /contacts/email';
  const clicks = 'opens and clicks asked at 1600/s with 20 behaviour segments, until the last is counted';
  const works: Work[] = [
    {
      name: 'campaign',
      unit: 'recipient of a campaign, freeze included',
      micros: Object.fromEntries(
        (['campaign', 'background', 'mongod', 'temporal', 'redis'] as const).map((part) => [part, cpu(campaign, part)]),
      ),
      alone: { campaign: figure('scale', campaign) },
      bytes: figure('scale', `${campaign}, stored each`),
      writes: figure('scale', `${campaign}, documents written each`),
      mails: 1,
      notRecorded: [],
    },
    {
      name: 'single',
      unit: 'mail by POST /mails/send, accepted and delivered',
      micros: {
        ...delivered,
        api: cpu(send, 'api'),
        mongod: sum(cpu(send, 'mongod'), cpu(mail, 'mongod')),
      },
      alone: { ...deliveredAlone, api: figure('scale', send) },
      bytes: figure('scale', `${mail}, stored each`),
      writes: figure('scale', `${mail}, documents written each`),
      mails: 1,
      notRecorded: [],
    },
    {
      name: 'batch',
      unit: 'call of POST /mails/batch with 10 mails, accepted',
      micros: { api: cpu(batch, 'api'), mongod: cpu(batch, 'mongod') },
      alone: { api: figure('scale', batch) },
      mails: 0,
      notRecorded: [],
    },
    {
      name: 'automation',
      unit: 'mail of an automation, delivered',
      micros: {
        mail: figure('sending', 'automation lane, 100000 waiting, DKIM by the relay, CPU of the worker for each mail'),
        mongod: figure('sending', 'automation lane, 100000 waiting, DKIM by the relay, CPU of mongod for each mail'),
      },
      alone: { mail: figure('sending', 'automation lane, 100000 waiting, DKIM by the relay') },
      mails: 1,
      notRecorded: ['redis'],
    },
    {
      name: 'submission',
      unit: 'mail by SMTP, accepted',
      micros: {
        submission: figure('submission', 'mails by SMTP at 64 connections, CPU of the submission process each'),
        mongod: figure('submission', 'mails by SMTP at 64 connections, CPU of mongod each'),
      },
      alone: { submission: figure('submission', 'mails by SMTP at 64 connections') },
      mails: 0,
      notRecorded: [],
    },
    {
      name: 'contact',
      unit: 'contact written by POST /contacts/email',
      micros: { api: cpu(contacts, 'api'), mongod: cpu(contacts, 'mongod') },
      alone: { api: figure('scale', contacts) },
      mails: 0,
      notRecorded: [],
    },
    {
      name: 'form',
      unit: 'form sent by a visitor',
      micros: { api: figure('forms', 'a form, CPU of the API process') },
      alone: { background: figure('forms', 'handled by the job') },
      mails: 0,
      notRecorded: ['mongod'],
    },
    {
      name: 'click',
      unit: 'open or click, noted and counted for 20 segments',
      micros: {
        api: noted('audience', clicks, 'API'),
        background: noted('audience', clicks, 'worker'),
        mongod: noted('audience', clicks, 'mongod'),
      },
      alone: { api: figure('comes-back', 'Pixels and clicks, as fast as they are answered at 64 connections') },
      mails: 0,
      notRecorded: ['redis'],
    },
    {
      name: 'enrollment',
      unit: 'contact that enters an automation, until its first wait',
      micros: {
        background: cpu(enrollment, 'background'),
        mongod: cpu(enrollment, 'mongod'),
        temporal: cpu(enrollment, 'temporal'),
        redis: cpu(enrollment, 'redis'),
      },
      alone: { background: figure('scale', enrollment) },
      mails: 0,
      notRecorded: [],
    },
    wholeMachine('import', 'row of imports, each by one process, into lists with segments', 'audience', importRows),
    wholeMachine('migration', 'contact of migrations from exports, each by one process', 'migrations', migrated),
  ];
  return {
    works,
    signature: figure('campaign', 'CPU of the senders for each recipient, what both signatures add'),
    memory: {
      api: figure('campaign', 'Highest resident memory, api'),
      background: figure('campaign', 'Highest resident memory, background'),
      workflows: figure('campaign', 'Highest resident memory, background'),
      campaign: figure('campaign', 'Highest resident memory, sender'),
      mail: figure(
        'sending',
        'transactional lane, 100000 waiting, DKIM by the relay, RSS of the worker in the last quarter',
      ),
    },
  };

  /** Only the rate was recorded: all of both cores is counted for MongoDB, so the true cost is lower. */
  function wholeMachine(name: string, unit: string, bench: string, of: string): Work {
    const rate = figure(bench, of);
    const from = `${rate.from}: at most, both cores counted for MongoDB`;
    return {
      ...{ name, unit, micros: { mongod: { value: 2e6 / rate.value, from } }, alone: { background: rate } },
      ...{ mails: 0, notRecorded: ['background'] },
    };
  }
}

/** Lanes with one process, as the measurement names them. */
export const ONE = {
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
