import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

interface SinkStats {
  /** Accepted, repeats included. */
  messages: number;
  /** Message-IDs among them. */
  unique: number;
  connectionsOpen: number;
  /** Messages within the last second. */
  lastSecond: number;
  /** The most connections at one time, and the most messages within a second, ever. */
  connectionsMost: number;
  perSecondMost: number;
}

export interface SinkClient {
  smtpUrl: string;
  evidenceUrl: string;
  /** Message-IDs with how often each was accepted. */
  ids(): Promise<Map<string, number>>;
  /** For polling: `ids` is a megabyte. */
  stats(): Promise<SinkStats>;
}

export interface Stoppable {
  stop(): void;
}

/** A relay of its own, and what a measurement asks it. */
export interface Sink extends SinkClient, Stoppable {
  port: number;
  pid: number;
  /** Resolves when so many have arrived; `seconds` is the time from the first to the last of them. */
  wait(count: number): Promise<{ messages: number; duplicates: number; seconds: number }>;
  /** The first mail that it took. */
  sample(): Promise<string>;
  /** All mails that it has kept, repeats included. */
  mails(): Promise<AcceptedMail[]>;
  reset(): Promise<void>;
}

export interface AcceptedMail {
  messageId: string;
  to: string[];
  raw: string;
}

export const noStats: SinkStats = {
  ...{ messages: 0, unique: 0, lastSecond: 0 },
  ...{ connectionsOpen: 0, connectionsMost: 0, perSecondMost: 0 },
};

/** In a process of its own, so that a drill that is busy counting does not slow down the relay. `kept`: how many mails it keeps whole. */
export async function startSink(ackMs = 0, { kept = 3 } = {}): Promise<Sink> {
  const script = join(import.meta.dirname, '../../test/support/mail/smtp-sink.ts');
  const keep = ['--records', String(kept), '--raw', String(kept)];
  const args = [script, '--port', '0', '--http', '0', '--ack-delay', String(ackMs), ...keep];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  const { smtp, http } = JSON.parse(line.toString()) as { smtp: number; http: number };
  const url = `http://127.0.0.1:${http}`;
  const get = async (path: string) => (await fetch(url + path)).json();
  return {
    port: smtp,
    pid: child.pid as number,
    smtpUrl: `smtp://127.0.0.1:${smtp}`,
    evidenceUrl: `${url}/evidence`,
    ids: async () => new Map((await get('/ids')) as Array<[string, number]>),
    stats: () => get('/stats') as Promise<SinkStats>,
    async wait(count) {
      for (;;) {
        const arrived = (await get(`/wait?n=${count}&timeout=60`)) as Awaited<ReturnType<Sink['wait']>>;
        if (arrived.messages >= count) return arrived;
      }
    },
    sample: async () => ((await get('/messages')) as AcceptedMail[])[0]?.raw ?? '',
    mails: () => get('/messages') as Promise<AcceptedMail[]>,
    reset: async () => void (await fetch(`${url}/reset`, { method: 'POST' })),
    stop: () => child.kill('SIGKILL'),
  };
}

/** Changes how a relay answers from now on. */
export async function setModes({ evidenceUrl }: SinkClient, modes: object): Promise<void> {
  await fetch(new URL('/modes', evidenceUrl), { method: 'POST', body: JSON.stringify(modes) });
}

/** For parts that send nothing. */
export async function noRelay(): Promise<SinkClient & Stoppable> {
  const stats = async () => noStats;
  return { smtpUrl: '', evidenceUrl: '', ids: async () => new Map(), stats, stop() {} };
}
