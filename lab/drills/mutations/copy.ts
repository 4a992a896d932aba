import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mutation } from './mutation.ts';

const root = join(import.meta.dirname, '../../..');

/** A copy of the checkout as it is now, where code may be made wrong. */
export interface Copy {
  readonly folder: string;
  /** Runs `work` with the mutation in place, and takes it out again. */
  mutated<T>(mutation: Mutation, work: () => Promise<T>): Promise<T>;
  remove(): void;
}

export function copyCheckout(): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'everpost-mutations-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = listed
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)));
  for (const file of files) cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // An interrupted drill leaves nothing behind.
  process.once('exit', remove);
  return {
    folder,
    async mutated({ file, find, replace }, work) {
      const path = join(folder, file);
      const original = readFileSync(path, 'utf8');
      writeFileSync(
        path,
        original.replace(find, () => replace),
      );
      try {
        return await work();
      } finally {
        writeFileSync(path, original);
      }
    },
    remove() {
      process.off('exit', remove);
      remove();
    },
  };
}

/** null: not there. */
export function checkoutText(file: string): string | null {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
