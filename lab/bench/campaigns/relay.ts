import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyFreePort } from '../../../stack/ports.ts';
import type { SinkClient, SinkStats, Stoppable } from '../../rig/context.ts';

const root = join(import.meta.dirname, '../../..');

/** A sink in a process of its own, with the two figures that a measurement needs. */
export interface Relay extends SinkClient, Stoppable {
  port: number;
  pid: number;
  /** Resolves when so many have arrived; answers when the first and the last of them did, by performance.now(). */
  wait(count: number): Promise<Arrivals>;
  sample(): Promise<string>;
  reset(): Promise<void>;
}

interface Arrivals {
  messages: number;
  duplicates: number;
  /** From the first to the last. */
  seconds: number;
}

/** test/support/mail/smtp-sink.ts, or any binary that takes -smtp, -http and -delay and answers the same questions. */
export async function startRelay(binary: string | undefined, ackMs = 0, keep = 3): Promise<Relay> {
  const [smtp, http] = [await anyFreePort(), await anyFreePort()];
  const answers = ['--ack-delay', `${ackMs}`, '--records', `${keep}`];
  const own = [join(root, 'test/support/mail/smtp-sink.ts'), '--port', `${smtp}`, '--http', `${http}`, ...answers];
  const addresses = ['-smtp', `127.0.0.1:${smtp}`, '-http', `127.0.0.1:${http}`];
  const [command, args] = binary
    ? [binary, ackMs > 0 ? [...addresses, '-delay', `${ackMs}ms`] : addresses]
    : [process.execPath, own];
  const child = spawn(command, args, {
    stdio: ['ignore', binary ? 'ignore' : 'pipe', 'inherit', ...(binary ? [] : ['ipc' as const])],
  });
  if (child.stdout) await once(child.stdout, 'data');
  const url = `http://127.0.0.1:${http}`;
  const get = async (path: string) => (await fetch(url + path)).json();
  for (let tries = 0; tries < 200; tries += 1) {
    if (await get('/stats').catch(() => null)) break;
    await sleep(20);
  }
  return {
    port: smtp,
    pid: child.pid as number,
    smtpUrl: `smtp://127.0.0.1:${smtp}`,
    evidenceUrl: `${url}/evidence`,
    ids: async () => new Map(),
    stats: async () => (await get('/stats')) as SinkStats,
    async wait(count) {
      for (;;) {
        const { messages, duplicates, seconds } = (await get(
          `/wait?n=${count}&timeout=${binary ? '60s' : '60'}`,
        )) as Arrivals;
        if (messages >= count) return { messages, duplicates, seconds };
      }
    },
    sample: async () => {
      if (binary) return (await (await fetch(`${url}/sample`)).text()).split(/---- sample \d+\r\n/)[1] ?? '';
      const [first] = (await get('/messages')) as Array<{ raw: string }>;
      return first?.raw ?? '';
    },
    async reset() {
      await fetch(`${url}/reset`, { method: 'POST' });
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
