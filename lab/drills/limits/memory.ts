import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Child } from '../../../stack/processes/child.ts';
import { SENDER, withDrill } from '../../rig/context.ts';
import { broken, check, type Findings, tell } from '../../rig/facts/check.ts';
import { readFacts } from '../../rig/facts/facts.ts';
import { untilSettled } from '../../rig/facts/settled.ts';
import { mongodPid } from '../../rig/processes.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { withServers } from '../../rig/servers.ts';
import { brokenCalls, type Calls, type Line, noCalls, post, tellCalls } from '../../rig/traffic/calls.ts';
import { watchExits } from '../outages/outages.ts';

interface MemoryDrill {
  recipients: number;
  bodies: number;
  attachmentBytes: number;
}

export interface MemoryTally {
  mails: number;
  found: Findings;
  calls: Calls;
  exits: string[];
  /** Of each process the highest resident memory, and the limit of its service in docker-compose.yml. */
  processes: Resident[];
}

interface Resident {
  service: string;
  highestBytes: number;
  limitBytes: number;
}

const CALLS_MS = 600_000;
/** The value of Retry-After. */
const AGAIN_MS = 1_000;
const SETTLED_MS = 900_000;
/** As in the Dockerfile. */
const IMAGE = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/** One attachment to many people, and as many large bodies at once, on processes and a MongoDB that are started as docker-compose.yml does. */
export function memory(drill: MemoryDrill): Promise<MemoryTally> {
  return withServers((_, env) => measured(env, drill), { mongodbCacheGb: composedCacheGb() });
}

function measured(env: NodeJS.ProcessEnv, drill: MemoryDrill): Promise<MemoryTally> {
  return withDrill(env, {}, async (context) => {
    const api = await context.startApi(mallocOf('api'));
    const children: Record<string, Child> = {
      api: api.child,
      worker: await context.startWorker({ ...mallocOf('worker'), WORKER_LANES: 'workflows,background,mail' }),
      'campaign-worker': await context.startWorker({ ...mallocOf('campaign-worker'), WORKER_LANES: 'campaign' }),
    };
    const exits = watchExits(children);
    const calls = noCalls();
    const acknowledged = await sendAll({ key: context.key, urls: () => [api.url], againMs: AGAIN_MS }, drill, calls);
    await untilSettled(context, SETTLED_MS);
    const pids = Object.entries(children).map(([service, { pid }]) => [service, pid] as const);
    const mongod = await mongodPid(context.deps);
    const processes = [...pids, ['mongodb', mongod] as const].map(([service, pid]) => residentOf(service, pid));
    const found = check(await readFacts(context, { acknowledged }));
    return { mails: drill.recipients + drill.bodies, found, calls, exits: [...exits], processes };
  });
}

export function judgeMemory({ mails, found, calls, exits, processes }: MemoryTally): Verdict {
  const over = overLimit(processes);
  const missing = mails - found.sent;
  const kept = broken(found).length + brokenCalls(calls).length + exits.length + over.length === 0 && missing === 0;
  const faults = [...brokenCalls(calls), ...exits, ...over];
  const says = [
    `${mails} mails with large attachments, ${missing} missing, ${tell(found)}`,
    tellCalls(calls),
    tellResident(processes),
    ...faults,
  ];
  return { kept, says: says.join('; ') };
}

export function overLimit(processes: readonly Resident[]): string[] {
  const over = processes.filter(({ highestBytes, limitBytes }) => !(highestBytes < limitBytes));
  return over.map(({ service }) => `${service} is over its limit`);
}

export function tellResident(processes: readonly Resident[]): string {
  const resident = processes.map(
    ({ service, highestBytes, limitBytes }) => `${service} ${mib(highestBytes)} of ${mib(limitBytes)} MiB`,
  );
  return `highest resident memory: ${resident.join(', ')}`;
}

/** The highest memory of a process, and the limit of its service. */
export function residentOf(service: string, pid: number): Resident {
  return { service, highestBytes: highestResident(pid), limitBytes: limitOf(service) };
}

/** Answers the ids of the mails to one address each. */
async function sendAll(line: Line, drill: MemoryDrill, calls: Calls): Promise<string[]> {
  const attachment = { fileName: 'large.bin', content: randomBytes(drill.attachmentBytes).toString('base64') };
  const mail = { from: { email: SENDER }, subject: 'Large', html: '<p>Large</p>', attachments: [attachment] };
  const send = (path: string, body: object) => post(line, calls, path, body, CALLS_MS);
  const recipients = Array.from({ length: drill.recipients }, (_, index) => ({ email: `bulk${index}@in.test` }));
  const [, ...answers] = await Promise.all([
    send('/mails/bulk', { ...mail, recipients }),
    ...Array.from({ length: drill.bodies }, (_, index) =>
      send('/mails/send', { ...mail, to: { email: `single${index}@in.test` } }),
    ),
  ]);
  return answers.flatMap((answer) => (answer ? [String(answer.emailId)] : []));
}

/** VmHWM, which the kernel keeps for a process. */
function highestResident(pid: number): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1_024;
}

function limitOf(service: string): number {
  const [, amount, unit] = /^(\d+)([mg])$/.exec(composed(service).mem_limit) ?? [];
  return Number(amount) * (unit === 'g' ? 1_024 ** 3 : 1_024 ** 2);
}

/** The settings of malloc that a service has in docker-compose.yml, and those of its image. */
export function mallocOf(service: string): Record<string, string> {
  const own = Object.entries(composed(service).environment).filter(([name]) => name.startsWith('MALLOC_'));
  return { ...IMAGE, ...Object.fromEntries(own) };
}

function composedCacheGb(): number {
  const { command } = composed('mongodb');
  return Number(command[command.indexOf('--wiredTigerCacheSizeGB') + 1]);
}

/** The service in docker-compose.yml. */
function composed(service: string): { mem_limit: string; command: string[]; environment: Record<string, string> } {
  const file = readFileSync(join(import.meta.dirname, '../../../docker-compose.yml'), 'utf8');
  return parse(file, { merge: true }).services[service];
}

function mib(bytes: number): number {
  return Math.round(bytes / 1_024 ** 2);
}
