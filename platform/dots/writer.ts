import { closeSync, ftruncateSync, openSync, renameSync, rmSync, utimesSync, writeSync } from 'node:fs';
import type { Log } from '../../core/base/deps.ts';
import type { Dot, DotState, DotWriter, NotedDot } from '../../core/mail/ledger/dot-journal.ts';
import { FILE_BYTES, HEAD_BYTES, headOf, NOTE_BYTES, NOTES_MAX, writeNote } from './format.ts';

const ALIVE_EVERY_MS = 10 * 60_000;

interface Given {
  file: string;
  bootId: string;
  log: Log;
  unwritten: () => Iterable<NotedDot>;
  /** Called from time to time. */
  sweep: () => void;
}

/** As many answers are written at once. */
const WAITING_MAX = 64;

/**
 * The journal of this process, without fsync: what is written survives the process. A dot is written before it leaves. An answer
 * waits for the next dot, or for the end of the tick: a write is a call of the kernel, which waits while the disk is synchronised.
 */
export class DotFile implements DotWriter {
  #given: Given;
  #fd: number | null;
  #count = 0;
  /** Notes that are not written yet. */
  #notes = Buffer.alloc(WAITING_MAX * NOTE_BYTES);
  #waiting = 0;
  #endOfTick: NodeJS.Immediate | undefined;
  #alive: NodeJS.Timeout;

  constructor(given: Given) {
    this.#given = given;
    this.#fd = this.#begin([]);
    this.#alive = setInterval(() => this.#touch(), ALIVE_EVERY_MS).unref();
  }

  /** After a fault there is no journal, which others notice: dots leave without being noted. */
  note(dot: Dot, state: DotState): boolean {
    if (this.#fd === null) return true;
    writeNote(this.#notes, dot, state, this.#waiting * NOTE_BYTES);
    this.#waiting += 1;
    if (state === 'begun' || state === 'inPart' || this.#waiting === WAITING_MAX) return this.#write();
    this.#endOfTick ??= setImmediate(() => this.#write());
    return true;
  }

  #write(): boolean {
    clearImmediate(this.#endOfTick);
    this.#endOfTick = undefined;
    if (this.#fd === null || this.#waiting === 0) return true;
    try {
      if (this.#count + this.#waiting > NOTES_MAX) this.#rotate();
      const bytes = this.#waiting * NOTE_BYTES;
      const at = HEAD_BYTES + this.#count * NOTE_BYTES;
      if (writeSync(this.#fd, this.#notes, 0, bytes, at) !== bytes) throw new Error('the disk is full');
      this.#count += this.#waiting;
      return true;
    } catch (error) {
      return this.#giveUp(error);
    } finally {
      // Notes that could not be written are left out: the dots of answers stay begun, and the dot that was asked for does not leave.
      this.#waiting = 0;
    }
  }

  remove(): void {
    clearInterval(this.#alive);
    clearImmediate(this.#endOfTick);
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
    removed(this.#given.file);
  }

  /** Under the file's name only when it is whole, so that readers see the old one or the new one. */
  #begin(dots: NotedDot[]): number {
    const { file, bootId } = this.#given;
    const fresh = `${file}.new`;
    const fd = openSync(fresh, 'w', 0o600);
    try {
      const bytes = Buffer.alloc(HEAD_BYTES + dots.length * NOTE_BYTES);
      bytes.set(headOf(bootId));
      for (const [index, dot] of dots.entries()) writeNote(bytes, dot, dot.noted, HEAD_BYTES + index * NOTE_BYTES);
      if (writeSync(fd, bytes, 0, bytes.length, 0) !== bytes.length) throw new Error('the disk is full');
      ftruncateSync(fd, FILE_BYTES);
      renameSync(fresh, file);
      return fd;
    } catch (error) {
      closeSync(fd);
      rmSync(fresh, { force: true });
      throw error;
    }
  }

  #rotate(): void {
    const kept = [...this.#given.unwritten()];
    const old = this.#fd;
    this.#fd = this.#begin(kept);
    this.#count = kept.length;
    if (old !== null) closeSync(old);
  }

  /** A journal that lacks a dot must not be read. While it cannot be made unreadable no dot leaves. */
  #giveUp(error: unknown): boolean {
    const { file, log } = this.#given;
    if (!this.#cut() && !removed(file)) {
      log.error({ err: error, file }, 'the dot journal can neither be written nor removed; no mail is sent');
      return false;
    }
    this.remove();
    log.warn({ err: error, file }, 'the dot journal cannot be written; going on without one');
    return true;
  }

  #cut(): boolean {
    try {
      if (this.#fd !== null) ftruncateSync(this.#fd, 0);
      return this.#fd !== null;
    } catch {
      return false;
    }
  }

  #touch(): void {
    const now = new Date();
    this.#given.sweep();
    try {
      utimesSync(this.#given.file, now, now);
    } catch {
      // Then others remove the file as that of a process that is gone, and settle without it.
    }
  }
}

function removed(file: string): boolean {
  try {
    rmSync(file, { force: true });
    return true;
  } catch {
    return false;
  }
}
