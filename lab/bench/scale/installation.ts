import { PARTS, type Part } from './costs.ts';

/** Machines of one shape, each with so many processes of each part. */
export interface Machines {
  name: string;
  count: number;
  cores: number;
  memoryGiB: number;
  parts: Partial<Record<Part, number>>;
}

export interface Installation {
  machines: Machines[];
  /** Primaries that share the data. More than one is designed, not proven. */
  shards: number;
  /** The budget of the installation at its relays. `signs`: the relay signs, else the senders do. */
  relay: { connections: number; ackMs: number; perSecond: number | null; signs: boolean };
  /** The part of CPU that is planned for. */
  usable: number;
  /** CPU of a primary whose writes two other members copy, as a multiple of a member that is alone. */
  replication: number;
  /** Documents that one primary can write a second; null: its disk is not in the model. */
  primaryWritesPerSecond: number | null;
  pricePerCoreHour: number;
  /** Units of each kind of work a day. */
  day: Record<string, number>;
  /** Hours in which the work of the day is done. */
  busyHours: number;
}

const RELAY = { connections: 64, ackMs: 20, perSecond: null, signs: true };
const ASSUMED = {
  shards: 1,
  relay: RELAY,
  usable: 0.7,
  replication: 1.25,
  primaryWritesPerSecond: null,
  pricePerCoreHour: 0.04,
  busyHours: 8,
};
/** Of one machine of a layout, in the day that is assumed when none is given. */
const DAY = {
  campaign: 1_000_000,
  single: 100_000,
  automation: 50_000,
  click: 200_000,
  contact: 20_000,
  enrollment: 20_000,
};

/** Reads an installation that is described in JSON; fields that are left out are assumed. */
export function readInstallation(given: unknown, works: readonly string[]): Installation {
  const fields = object(given, 'the installation');
  known(fields, ['machines', 'day', ...Object.keys(ASSUMED)], 'the installation');
  if (!Array.isArray(fields.machines) || fields.machines.length === 0)
    throw new Error('"machines" must be a list with at least one entry.');
  const relay = object(fields.relay ?? {}, '"relay"');
  known(relay, Object.keys(RELAY), '"relay"');
  const machines = fields.machines.map(readMachines);
  const count = machines.reduce((sum, one) => sum + one.count, 0);
  const day = object(fields.day ?? dayOf(count, works), '"day"');
  known(day, works, '"day"');
  const installation: Installation = {
    machines,
    shards: positive(fields.shards ?? ASSUMED.shards, '"shards"'),
    relay: {
      connections: positive(relay.connections ?? RELAY.connections, '"relay.connections"'),
      ackMs: positive(relay.ackMs ?? RELAY.ackMs, '"relay.ackMs"'),
      perSecond: orNull(relay.perSecond, '"relay.perSecond"'),
      signs: flag(relay.signs ?? RELAY.signs, '"relay.signs"'),
    },
    usable: positive(fields.usable ?? ASSUMED.usable, '"usable"'),
    replication: positive(fields.replication ?? ASSUMED.replication, '"replication"'),
    primaryWritesPerSecond: orNull(fields.primaryWritesPerSecond, '"primaryWritesPerSecond"'),
    pricePerCoreHour: positive(fields.pricePerCoreHour ?? ASSUMED.pricePerCoreHour, '"pricePerCoreHour"'),
    day: Object.fromEntries(Object.entries(day).map(([name, units]) => [name, positive(units, `"day.${name}"`)])),
    busyHours: positive(fields.busyHours ?? ASSUMED.busyHours, '"busyHours"'),
  };
  if (installation.usable > 1) throw new Error('"usable" must be at most 1.');
  if (installation.replication < 1) throw new Error('"replication" must be at least 1.');
  for (const part of ['mongod', 'redis', 'temporal'] as const)
    if (processesOf(installation, part) === 0) throw new Error(`No machine has "${part}".`);
  if (processesOf(installation, 'mongod') < installation.shards)
    throw new Error(`${installation.shards} shards need as many machines with "mongod".`);
  return installation;
}

export function processesOf({ machines }: Pick<Installation, 'machines'>, part: Part): number {
  return machines.reduce((sum, { count, parts }) => sum + count * (parts[part] ?? 0), 0);
}

/** Machines of 16 cores and 64 GiB; the first alone has 8 cores and 32 GiB, as docker-compose.yml expects them. */
export function layout(count: number): unknown {
  const whole = { api: 1, mail: 1, campaign: 4, background: 1, workflows: 1, submission: 1 };
  const servers = { mongod: 1, temporal: 1, redis: 1 };
  if (!Number.isInteger(count) || count < 1 || count > 1_000) throw new Error('Machines: a number from 1 to 1000.');
  if (count === 1)
    return {
      machines: [{ name: 'everything', count, cores: 8, memoryGiB: 32, parts: { ...whole, ...servers } }],
      replication: 1,
      relay: { connections: 256 },
    };
  const shards = Math.max(1, Math.floor((count * 0.24) / 3));
  const members = count < 6 ? 1 : 3 * shards;
  const temporals = count < 6 ? 0 : Math.max(1, Math.round(count * 0.2));
  const redis = count < 10 ? 0 : count < 50 ? 1 : 2;
  const senders = count - members - temporals - redis;
  const size = { cores: 16, memoryGiB: 64 };
  const more = { ...(temporals === 0 ? { temporal: 1 } : {}), ...(redis === 0 ? { redis: 1 } : {}) };
  const workers = { ...whole, api: 2, mail: 2, campaign: 8, background: 2, workflows: 1, ...more };
  return {
    machines: [
      { name: 'databases', count: members, ...size, parts: { mongod: 1 } },
      ...(temporals > 0
        ? [{ name: 'Temporal and its database', count: temporals, ...size, parts: { temporal: 1 } }]
        : []),
      ...(redis > 0 ? [{ name: 'Redis', count: redis, cores: 2, memoryGiB: 4, parts: { redis: 1 } }] : []),
      { name: 'API and workers', count: senders, ...size, parts: workers },
    ],
    shards,
    replication: members > 1 ? ASSUMED.replication : 1,
    relay: { connections: 256 * senders },
  };
}

function dayOf(machines: number, works: readonly string[]): Record<string, number> {
  const given = Object.entries(DAY).filter(([name]) => works.includes(name));
  return Object.fromEntries(given.map(([name, units]) => [name, units * machines]));
}

function readMachines(given: unknown, index: number): Machines {
  const at = `"machines[${index}]"`;
  const { name, parts, ...numbers } = object(given, at);
  known(numbers, ['count', 'cores', 'memoryGiB'], at);
  const processes = object(parts, `"parts" of ${at}`);
  known(processes, PARTS, `"parts" of ${at}`);
  return {
    name: typeof name === 'string' ? name : `machine ${index + 1}`,
    count: whole(numbers.count ?? 1, `"count" of ${at}`),
    cores: positive(numbers.cores, `"cores" of ${at}`),
    memoryGiB: positive(numbers.memoryGiB, `"memoryGiB" of ${at}`),
    parts: Object.fromEntries(
      Object.entries(processes).map(([part, number]) => [part, whole(number, `"${part}" of ${at}`)]),
    ),
  };
}

function object(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${name} must be an object.`);
  return value as Record<string, unknown>;
}

function known(fields: object, names: readonly string[], where: string): void {
  for (const name of Object.keys(fields))
    if (!names.includes(name)) throw new Error(`${where} has no "${name}"; it may have ${names.join(', ')}.`);
}

function positive(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0)
    throw new Error(`${name} must be a number above 0.`);
  return value;
}

function whole(value: unknown, name: string): number {
  if (!Number.isInteger(value)) throw new Error(`${name} must be a whole number above 0.`);
  return positive(value, name);
}

function orNull(value: unknown, name: string): number | null {
  return value === undefined || value === null ? null : positive(value, name);
}

function flag(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw new Error(`${name} must be true or false.`);
  return value;
}
