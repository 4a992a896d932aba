import { type Costs, PARTS, type Part, type Work } from './costs.ts';
import { type Installation, type Machines, processesOf } from './installation.ts';

/** Something that bounds a kind of work, and the units a second at which it is full. */
interface Limit {
  name: string;
  perSecond: number;
  /** Each number in it, with where it comes from. */
  because: string;
}

interface Capacity {
  work: Work;
  perSecond: number;
  /** The lowest first. */
  limits: Limit[];
}

const SERVERS: readonly Part[] = ['mongod', 'temporal', 'redis'];
const MICROS = 1e6;

/**
 * The utilisation law: work that costs s seconds of a resource keeps it busy for X * s of each second, so X is at most its capacity / s.
 * The lowest of these bounds is the throughput. CPU costs are taken to be linear.
 */
export function capacity(given: Work, installation: Installation, { signature }: Pick<Costs, 'signature'>): Capacity {
  const work = installation.relay.signs ? given : signed(given, signature.value);
  const limits = [
    ...installation.machines.flatMap((machines) => ofMachine(work, machines, installation)),
    ...PARTS.filter((part) => !SERVERS.includes(part)).flatMap((part) => ofProcesses(work, part, installation)),
    ...ofRedis(work, installation),
    ...ofDisk(work, installation),
    ...ofRelay(work, installation),
  ].toSorted((a, b) => a.perSecond - b.perSecond);
  return { work, perSecond: limits[0]?.perSecond ?? Number.POSITIVE_INFINITY, limits };
}

/** CPU seconds that one unit costs one machine of the kind: a primary, where it has a member. */
export function secondsOnMachine(work: Work, machines: Machines, installation: Installation): number {
  let micros = 0;
  for (const part of PARTS) {
    const [own, all] = [machines.parts[part] ?? 0, processesOf(installation, part)];
    const cost = work.micros[part]?.value ?? 0;
    if (own === 0 || cost === 0) continue;
    if (part === 'mongod') micros += (cost * installation.replication) / installation.shards;
    else if (part === 'redis') micros += cost;
    else micros += (cost * own) / all;
  }
  return micros / MICROS;
}

function ofMachine(work: Work, machines: Machines, installation: Installation): Limit[] {
  const seconds = secondsOnMachine(work, machines, installation);
  if (seconds === 0) return [];
  const { cores, name } = machines;
  const { usable } = installation;
  const because = `${cores} cores x ${usable} / ${(seconds * MICROS).toPrecision(3)} us on the busiest machine of its kind`;
  return [{ name: `CPU of ${name}`, perSecond: (cores * usable) / seconds, because }];
}

/** A process has one thread for JavaScript. */
function ofProcesses(work: Work, part: Part, installation: Installation): Limit[] {
  const [alone, micros] = [work.alone[part]?.value, work.micros[part]?.value];
  if (alone === undefined && micros === undefined) return [];
  const count = processesOf(installation, part);
  const each = Math.min(alone ?? Number.POSITIVE_INFINITY, micros ? MICROS / micros : Number.POSITIVE_INFINITY);
  const { usable } = installation;
  const because = `${count} x ${Math.round(each)} a second of one process x ${usable}`;
  return [{ name: `${part} processes`, perSecond: count * each * usable, because }];
}

function ofRedis(work: Work, { usable }: Installation): Limit[] {
  const micros = work.micros.redis?.value ?? 0;
  if (micros === 0) return [];
  return [{ name: 'the one thread of Redis', perSecond: (MICROS * usable) / micros, because: `${micros} us a unit` }];
}

function ofDisk({ writes }: Work, { primaryWritesPerSecond, shards }: Installation): Limit[] {
  if (!writes || primaryWritesPerSecond === null) return [];
  const because = `${shards} x ${primaryWritesPerSecond} documents a second / ${writes.value} a unit`;
  return [{ name: 'writes of the primaries', perSecond: (primaryWritesPerSecond * shards) / writes.value, because }];
}

function ofRelay({ mails }: Work, { relay }: Installation): Limit[] {
  if (mails === 0) return [];
  const { connections, ackMs, perSecond } = relay;
  const because = `${connections} connections, a mail in ${ackMs} ms on each`;
  const found: Limit[] = [
    { name: 'connections to the relay', perSecond: (connections * 1_000) / ackMs / mails, because },
  ];
  if (perSecond !== null)
    found.push({ name: 'rate of the relay', perSecond: perSecond / mails, because: 'its budget' });
  return found;
}

/** Signing needs threads of the sender: what a process reached alone no longer holds, a core of CPU does. */
function signed(work: Work, micros: number): Work {
  if (work.mails === 0) return work;
  const part: Part = work.micros.campaign ? 'campaign' : 'mail';
  const own = work.micros[part]?.value ?? 0;
  const from = `${work.micros[part]?.from}, and both signatures`;
  return { ...work, micros: { ...work.micros, [part]: { value: own + micros, from } } };
}

interface DayUse {
  /** Of the busiest resource in the busy hours; above 1 the day does not fit. */
  used: Array<{ name: string; share: number }>;
  bytes: number;
  writesPerSecond: number;
}

/** All kinds of work of a day together, in its busy hours. A share of 1 uses all that is planned for. */
export function useOfDay(installation: Installation, costs: Costs): DayUse {
  const shares = new Map<string, number>();
  let [bytes, writesPerSecond] = [0, 0];
  for (const work of costs.works) {
    const units = installation.day[work.name] ?? 0;
    const perSecond = units / (installation.busyHours * 3_600);
    bytes += units * (work.bytes?.value ?? 0);
    writesPerSecond += perSecond * (work.writes?.value ?? 0);
    if (units === 0) continue;
    for (const limit of capacity(work, installation, costs).limits)
      shares.set(limit.name, (shares.get(limit.name) ?? 0) + perSecond / limit.perSecond);
  }
  const used = [...shares].map(([name, share]) => ({ name, share })).toSorted((a, b) => b.share - a.share);
  return { used, bytes, writesPerSecond };
}

/** MB that the processes of Everpost need on each machine under load; servers take the rest. */
export function memoryOf({ parts }: Machines, { memory }: Pick<Costs, 'memory'>): number {
  return PARTS.reduce((sum, part) => sum + (parts[part] ?? 0) * (memory[part]?.value ?? 0), 0);
}

export function costOf({ machines, pricePerCoreHour }: Installation): { cores: number; perHour: number } {
  const cores = machines.reduce((sum, one) => sum + one.count * one.cores, 0);
  return { cores, perHour: cores * pricePerCoreHour };
}
