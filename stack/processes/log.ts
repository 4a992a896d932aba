import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const logBytesMax = 50_000_000;

/** Logs are appended to; a large one makes room once, for the next start. */
export function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > logBytesMax) renameSync(path, `${path}.1`);
  return openSync(path, 'a');
}

export function lastLines(path: string, count: number): string {
  try {
    const file = openSync(path, 'r');
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, 4096));
    readSync(file, tail, 0, tail.length, size - tail.length);
    closeSync(file);
    return tail.toString().trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return '';
  }
}

export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
