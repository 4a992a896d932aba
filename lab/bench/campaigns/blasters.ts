import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rateOf } from '../run.ts';
import { blast } from '../smtp/raw-blast.ts';

/** Raw blasts from as many processes as there are senders, each over as many connections as a sender has for campaigns. */
export interface Blasters {
  /** Messages a second, all processes together. */
  run(port: number, count: number, text: string): Promise<number>;
  stop(): void;
}

interface Order {
  port: number;
  connections: number;
  count: number;
  text: string;
}

/** Unmeasured, in each process before it is measured: until its code is compiled. */
const WARM_UP = 2_000;

export function startBlasters(processes: number, connections: number): Blasters {
  const children = Array.from({ length: processes }, () => fork(import.meta.filename));
  const all = async (order: Omit<Order, 'connections'>) => {
    await Promise.all(children.map((child) => ask(child, { ...order, connections })));
  };
  return {
    async run(port, count, text) {
      await all({ port, count: WARM_UP, text });
      const each = Math.ceil(count / processes);
      return rateOf(each * processes, () => all({ port, count: each, text }));
    },
    stop: () => children.forEach((child) => void child.kill('SIGKILL')),
  };
}

async function ask(child: ChildProcess, order: Order): Promise<void> {
  const answered = once(child, 'message');
  child.send(order);
  await answered;
}

if (process.argv[1] === import.meta.filename)
  process.on('message', async ({ port, connections, count, text }: Order) => {
    await blast(port, connections, count, () => text);
    process.send?.('done');
  });
