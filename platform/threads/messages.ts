import { Worker } from 'node:worker_threads';

/** Node below 24.6 knows how long a thread was active, which is longer than its CPU time on a busy machine. */
export const KNOWS_CPU = 'cpuUsage' in Worker.prototype;

export interface ThreadSettings {
  module: string;
  settings: unknown;
}

/** null: a question whether the thread is alive. */
export type Asked = { id: number; input: unknown } | null;

/** `cpuMs` is the CPU time of the thread up to then. */
export type Told = { cpuMs: number } & ({ id: number; output: unknown } | { id: number; error: string } | { id: null });
