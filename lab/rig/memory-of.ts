import { readdirSync, readFileSync } from 'node:fs';

/**
 * Bytes that a process and all its descendants would hold on a machine of their own: what is private to each, and the pages of
 * each file once. Other programs that run the same Node do not make it less, as they do with PSS.
 */
export function memoryOf(root: number): number {
  const files = new Map<string, number>();
  let anonymous = 0;
  for (const pid of withDescendants(root)) {
    const held = mappingsOf(pid);
    anonymous += held.anonymous;
    for (const [file, bytes] of held.files) files.set(file, Math.max(files.get(file) ?? 0, bytes));
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, anonymous);
}

function withDescendants(root: number): Set<number> {
  const found = new Set([root]);
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(/\) \S (\d+)/.exec(read(`/proc/${name}/stat`))?.[1]) }));
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { pid, parent } of parents) if (found.has(parent)) found.add(pid);
  }
  return found;
}

/** Bytes that are private to one process. */
export function privateMemoryOf(pid: number): number {
  return mappingsOf(pid).anonymous;
}

function mappingsOf(pid: number): { anonymous: number; files: Map<string, number> } {
  const files = new Map<string, number>();
  let anonymous = 0;
  for (const mapping of read(`/proc/${pid}/smaps`).split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)) {
    const own = bytesOf(mapping, 'Anonymous');
    anonymous += own;
    const file = /^\S+ \S+ \S+ \S+ [1-9]\d*\s+(.+)$/m.exec(mapping)?.[1];
    if (file) files.set(file, (files.get(file) ?? 0) + bytesOf(mapping, 'Rss') - own);
  }
  return { anonymous, files };
}

function bytesOf(mapping: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(mapping)?.[1] ?? 0) * 1_024;
}

/** Empty for a process that is gone. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
