import { Worker } from 'node:worker_threads';
import type { Log } from '../../core/base/deps.ts';
import { TooMuch } from '../../core/base/errors.ts';
import { cpuMsMax, KINDS, type Kind, type KindName } from './kinds.ts';
import { type Asked, KNOWS_CPU, type ThreadSettings, type Told } from './messages.ts';
import { createTurns } from './turns.ts';

export interface TaskSize {
  bytes: number;
  /** Clients take turns: one with many slow tasks delays its own, and those of another by one task. */
  client?: string;
  /** A task that still waits when this aborts is not begun. */
  signal?: AbortSignal;
  /** Memory of the input that is handed over instead of being copied; for kinds of one task at a time, since it is gone then. */
  transfer?: ArrayBuffer[];
}

export interface Pool<Input, Output> {
  /** Rejects with TooMuch when the task is over a limit of its kind, and with another error when its work fails. */
  run(input: Input, size: TaskSize): Promise<Output>;
  /** Resolves when a thread has loaded its module, which takes seconds on a busy machine, or has ended. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

interface Task {
  input: unknown;
  bytes: number;
  transfer: ArrayBuffer[];
  /** True after a thread ended with several tasks, of which any may be the cause. */
  isAlone: boolean;
  end(error: Error | null, output?: unknown): void;
}

interface Thread {
  worker: Worker;
  running: Map<number, Task>;
  isReady: boolean;
  loaded: Promise<void>;
  /** The CPU time of the thread when its task began, or when it last gave a sign of life. */
  sinceMs: number;
  isAsked: boolean;
}

const LOOK_EVERY_MS = 100;
const CLOSED = 'The threads are closed.';
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/** Threads for one kind of work, started by the first task. A thread that is over its limit ends, and the next task starts another. */
export function createPool<Input, Output>(
  name: KindName,
  { settings = null, log, limits = {} }: { settings?: unknown; log?: Log; limits?: Partial<Kind> } = {},
): Pool<Input, Output> {
  const kind: Kind = { ...KINDS[name], ...limits };
  const threads = new Set<Thread>();
  const turns = createTurns<Task>();
  const large = createTurns<Task>();
  const again: Task[] = [];
  const held = new Map<string, number>();
  let all = 0;
  let lastId = 0;
  let looking: NodeJS.Timeout | null = null;
  let isClosed = false;

  function start(): Thread {
    const { heapMb, nurseryMb } = kind;
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: { module: kind.module.href, settings } satisfies ThreadSettings,
      resourceLimits: {
        maxOldGenerationSizeMb: heapMb,
        ...(nurseryMb === undefined ? {} : { maxYoungGenerationSizeMb: nurseryMb }),
      },
    });
    const loaded = new Promise<void>((resolve) => {
      worker.once('message', () => resolve());
      worker.once('exit', () => resolve());
    });
    const thread: Thread = { worker, running: new Map(), isReady: false, loaded, sinceMs: 0, isAsked: false };
    threads.add(thread);
    worker.on('message', (told: Told) => hear(thread, told));
    worker.on('error', (error: Error & { code?: string }) =>
      give(thread, error.code === OUT_OF_MEMORY ? new TooMuch('memory') : error),
    );
    worker.on('exit', () => give(thread, new Error(isClosed ? CLOSED : 'The thread ended.')));
    return thread;
  }

  function hear(thread: Thread, told: Told): void {
    // Between the turns of a single task nothing is forgotten.
    if (told.id !== null || !thread.isReady || kind.together > 1) thread.sinceMs = told.cpuMs;
    const isNew = !thread.isReady;
    thread.isReady = true;
    thread.isAsked = false;
    if (told.id === null) {
      if (isNew) next();
      return;
    }
    const task = thread.running.get(told.id);
    thread.running.delete(told.id);
    if ('error' in told) task?.end(new Error(told.error));
    else task?.end(null, told.output);
    next();
  }

  /** The thread is no more. */
  function give(thread: Thread, error: Error): void {
    if (!threads.delete(thread)) return;
    const tasks = [...thread.running.values()];
    thread.running.clear();
    if (tasks.length > 0 && !isClosed)
      log?.warn({ kind: name, err: error, bytes: tasks.map(({ bytes }) => bytes) }, 'a thread ended with its work');
    for (const task of tasks) {
      if (tasks.length === 1 || isClosed) task.end(error);
      else again.push({ ...task, isAlone: true });
    }
    next();
  }

  function next(): void {
    if (isClosed) return;
    for (;;) {
      const queue = isLargeNext() ? large : turns;
      const task = again[0] ?? queue.peek();
      const thread = task && threadFor(task);
      if (!thread) break;
      if (again[0]) again.shift();
      else queue.take();
      lastId += 1;
      thread.running.set(lastId, task);
      thread.worker.postMessage({ id: lastId, input: task.input } satisfies Asked, task.transfer);
    }
    for (const { worker, running } of threads) {
      if (running.size > 0) worker.ref();
      else worker.unref();
    }
    watch();
  }

  /** One large task at a time: the other threads are left to small ones, and their memory too. */
  function isLargeNext(): boolean {
    return large.peek() !== undefined && ![...threads].some(({ running }) => [...running.values()].some(isLarge));
  }

  function isLarge({ bytes }: Pick<Task, 'bytes'>): boolean {
    return bytes > (kind.largeBytes ?? Number.POSITIVE_INFINITY);
  }

  function threadFor({ isAlone }: Task): Thread | null {
    // A thread that is still loading takes what the others have no room for.
    const loaded = [...threads].filter(({ isReady, running }) => isReady && running.size < kind.together);
    const some = loaded.length > 0 ? loaded : [...threads];
    const [least] = some.toSorted((a, b) => a.running.size - b.running.size);
    if (least?.running.size === 0) return least;
    if (threads.size < kind.threads) {
      const fresh = start();
      if (loaded.length === 0) return fresh;
    }
    if (isAlone || !least || least.running.size >= kind.together) return null;
    return [...least.running.values()].some((task) => task.isAlone) ? null : least;
  }

  function watch(): void {
    const isBusy = [...threads].some(({ running }) => running.size > 0);
    if (isBusy) looking ??= setInterval(() => void [...threads].map(look), LOOK_EVERY_MS);
    else if (looking) {
      clearInterval(looking);
      looking = null;
    }
  }

  /** A thread that does a single thing for long does not answer this question for as long. */
  async function look(thread: Thread): Promise<void> {
    if (!thread.isReady || thread.isAsked || thread.running.size === 0) return;
    thread.isAsked = true;
    const cpuMs = await cpuMsOf(thread.worker);
    thread.isAsked = false;
    const sizes = [...thread.running.values()].map(({ bytes }) => bytes);
    if (sizes.length === 0 || !threads.has(thread)) return;
    if (kind.together > 1) thread.worker.postMessage(null satisfies Asked);
    if (cpuMs - thread.sinceMs <= cpuMsMax(kind, Math.max(...sizes))) return;
    give(thread, new TooMuch('time'));
    await thread.worker.terminate();
  }

  function hold(client: string, bytes: number): void {
    all += bytes;
    const own = (held.get(client) ?? 0) + bytes;
    if (own > 0) held.set(client, own);
    else held.delete(client);
  }

  function add(input: Input, { bytes, client = '', signal, transfer = [] }: TaskSize, answer: Task['end']): void {
    const queue = isLarge({ bytes }) ? large : turns;
    const task: Task = {
      ...{ input, bytes, transfer, isAlone: false },
      end(error, output) {
        hold(client, -bytes);
        signal?.removeEventListener('abort', leave);
        answer(error, output);
      },
    };
    const leave = () => {
      if (queue.remove(client, task)) task.end(new Error('The task was called off.'));
    };
    hold(client, bytes);
    signal?.addEventListener('abort', leave);
    queue.add(client, task);
    next();
  }

  /** A task that is larger than all of the room is done alone. */
  function fits(client: string, bytes: number): boolean {
    const own = held.get(client) ?? 0;
    return (all === 0 || all + bytes <= kind.bytesMax) && (own === 0 || own + bytes <= kind.bytesPerClientMax);
  }

  return {
    run(input, size) {
      if (isClosed) return Promise.reject(new Error(CLOSED));
      if (!fits(size.client ?? '', size.bytes)) return Promise.reject(new TooMuch('waiting'));
      return new Promise<Output>((resolve, reject) => {
        add(input, size, (error, output) => {
          if (error) reject(error);
          else resolve(output as Output);
        });
      });
    },
    async ready() {
      if (isClosed) return;
      const some = [...threads];
      await (some.find(({ isReady }) => isReady) ?? some[0] ?? start()).loaded;
    },
    async close() {
      isClosed = true;
      if (looking) clearInterval(looking);
      for (const task of [...again.splice(0), ...turns.takeAll(), ...large.takeAll()]) task.end(new Error(CLOSED));
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}

async function cpuMsOf(worker: Worker): Promise<number> {
  if (!KNOWS_CPU) return worker.performance.eventLoopUtilization().active;
  const { user, system } = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (user + system) / 1_000;
}
