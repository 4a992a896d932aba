import { setTimeout as sleep } from 'node:timers/promises';
import { oncePerCore } from '../../base/deps.ts';
import { readClickToken, readOpenToken } from '../compose/tokens.ts';
import type { MailDeps } from '../deps.ts';
import { type Signal, writeSignals } from './engagements.ts';

/** Signals kept while MongoDB is down, or until their mail has a row; further ones are dropped, with a log line. */
export const BUFFERED_MAX = 10_000;
/** A small limit, so that writing a backlog does not delay requests for pictures. */
const TOGETHER_MAX = 200;
/** Signals that arrive within this time are written together: a write costs the database much the same for one and for fifty. */
const GATHER_MS = 25;
const REPEAT_FIRST_MS = 100;
const REPEAT_MAX_MS = 2_000;
/** How often signals of mails in flight are tried again. */
const IN_FLIGHT_AGAIN_MS = 1_000;
/** The same while the process stops. */
const IN_FLIGHT_LAST_MS = 100;

const SAFE_TARGET = /^https?:\/\/[^\s\\\p{Cc}]+$/iu;

export interface Visitor {
  at: Date;
  agent: string;
  purpose: string;
  method: string;
}

interface Buffer {
  waiting: Signal[];
  /** Of mails whose rows are not written yet. */
  inFlight: Signal[];
  timer: NodeJS.Timeout | null;
  againMs: number;
  running: boolean;
  dropped: number;
  stopped: boolean;
}

/** Returns whether the token is one of ours. */
export function noteOpen(deps: MailDeps, token: string, visitor: Visitor): boolean {
  const ref = readOpenToken(deps.config, token);
  if (ref) bufferSignal(deps, { kind: 'open', ...ref, ...visitor });
  return ref !== null;
}

/** The target of the link, which exists only inside the signed token; null for a token that is not ours. HEAD does not count as a click. */
export function noteClick(deps: MailDeps, token: string, { at, agent, method }: Visitor): string | null {
  const read = readClickToken(deps.config, token);
  if (!read || !SAFE_TARGET.test(read.target)) return null;
  const { target, ...ref } = read;
  if (method !== 'HEAD') bufferSignal(deps, { kind: 'click', ...ref, at, agent, url: target });
  return target;
}

/** Returns at once: pixels and links never wait for the database. Signals are written in batches, and repeated until that succeeds. */
export function bufferSignal(deps: MailDeps, signal: Signal): void {
  const buffer = bufferOf(deps);
  if (sizeOf(buffer) >= BUFFERED_MAX) {
    if (buffer.dropped === 0) deps.log.warn({ kept: BUFFERED_MAX }, 'dropping opens and clicks: the buffer is full');
    buffer.dropped += 1;
    return;
  }
  buffer.waiting.push(signal);
  if (!buffer.running) void flush(deps, buffer);
}

/** The number of signals that are not written yet, and of those dropped since the last success. */
export function bufferedSignals(deps: MailDeps): { waiting: number; dropped: number } {
  const buffer = bufferOf(deps);
  return { waiting: sizeOf(buffer), dropped: buffer.dropped };
}

function sizeOf({ waiting, inFlight }: Buffer): number {
  return waiting.length + inFlight.length;
}

/** Resolves when everything is written, or when the time is over. */
export async function drainSignals(deps: MailDeps, graceMs: number): Promise<void> {
  const buffer = bufferOf(deps);
  const until = performance.now() + graceMs;
  buffer.againMs = IN_FLIGHT_LAST_MS;
  tryAgain(deps, buffer);
  while ((sizeOf(buffer) > 0 || buffer.running) && performance.now() < until) await sleep(10);
  buffer.stopped = true;
  if (buffer.timer) clearTimeout(buffer.timer);
  if (sizeOf(buffer) > 0) deps.log.warn({ lost: sizeOf(buffer) }, 'opens and clicks could not be written');
}

const bufferOf = oncePerCore(
  (_deps: MailDeps): Buffer => ({
    waiting: [],
    inFlight: [],
    timer: null,
    againMs: IN_FLIGHT_AGAIN_MS,
    running: false,
    dropped: 0,
    stopped: false,
  }),
);

function keepInFlight(deps: MailDeps, buffer: Buffer, signals: Signal[]): void {
  if (signals.length === 0) return;
  buffer.inFlight.push(...signals);
  buffer.timer ??= setTimeout(() => tryAgain(deps, buffer), buffer.againMs).unref();
}

function tryAgain(deps: MailDeps, buffer: Buffer): void {
  if (buffer.timer) clearTimeout(buffer.timer);
  buffer.timer = null;
  buffer.waiting.push(...buffer.inFlight.splice(0));
  if (buffer.waiting.length > 0 && !buffer.running && !buffer.stopped) void flush(deps, buffer);
}

async function flush(deps: MailDeps, buffer: Buffer): Promise<void> {
  buffer.running = true;
  for (let waitMs = REPEAT_FIRST_MS; buffer.waiting.length > 0 && !buffer.stopped; ) {
    if (buffer.waiting.length < TOGETHER_MAX) await sleep(GATHER_MS);
    const batch = buffer.waiting.slice(0, TOGETHER_MAX);
    try {
      const inFlight = await writeSignals(deps, batch);
      buffer.waiting.splice(0, batch.length);
      keepInFlight(deps, buffer, inFlight);
      if (buffer.dropped > 0)
        deps.log.warn({ dropped: buffer.dropped }, 'opens and clicks can be written again; some were dropped');
      buffer.dropped = 0;
      waitMs = REPEAT_FIRST_MS;
    } catch (error) {
      deps.log.warn({ err: error, waiting: buffer.waiting.length }, 'opens and clicks could not be written; retrying');
      await sleep(waitMs);
      waitMs = Math.min(REPEAT_MAX_MS, waitMs * 2);
    }
  }
  buffer.running = false;
}
