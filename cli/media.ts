import { createHash, randomUUID } from 'node:crypto';
import type { Deps, Log, Media } from '../core/base/deps.ts';
import { type Copied, checkStore, copyMedia } from '../core/templates/media/copy.ts';
import { STORES, storeFault } from '../platform/media/store-names.ts';
import { openStore } from '../platform/media/stores.ts';
import { CommandError } from './error.ts';

const PROGRESS_EVERY_MS = 5_000;
const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** docs/operators/media.md has the order in which they are used. */
export const mediaCommands = {
  'media check': {
    usage: '[store]',
    does: 'writes, reads and deletes an object in the store of pictures, that of MEDIA_STORE or another one',
    async run(deps: Deps, [store = deps.config.mediaStore]: string[]) {
      const name = createHash('sha256').update(`check ${randomUUID()}`).digest('hex');
      const fault = await checkStore(open(deps, store), `${name}.png`);
      if (fault) throw new CommandError(`${store} does not work: ${fault.step} failed${reasonOf(fault.error)}.`);
      print({ store, works: true });
    },
  },
  'media copy': {
    usage: '<from> <to>',
    does: 'copies the pictures of all projects to another store and compares them there, beside running processes; may be repeated',
    async run(deps: Deps, [from, to]: string[]) {
      if (!from || !to || from === to) throw new CommandError(`Name two stores, each as ${STORES}.`);
      const stores = { from: open(deps, from), to: open(deps, to) };
      const sum = await copyMedia(deps, {
        ...stores,
        onProgress: everyWhile(print),
        onLost: ({ _id, projectId, name }) => print({ lost: _id, projectId, name }),
      });
      print(sum);
      if (sum.lost > 0) throw new CommandError(`${from} has not the bytes of ${sum.lost} pictures, named above.`);
    },
  },
};

function open(deps: Deps, store: string): Media {
  const fault = storeFault(store, deps.config);
  if (fault) throw new CommandError(`${store} cannot be opened: ${fault}`);
  return openStore(store, { ...deps, log: silent });
}

function reasonOf(error: unknown): string {
  if (error === undefined) return ', the answer is not what was written';
  const { message, cause = message } = error as Error;
  return ` (${cause})`;
}

function everyWhile(say: (sum: Copied) => void): (sum: Copied) => void {
  let saidAt = performance.now();
  return (sum) => {
    if (performance.now() - saidAt < PROGRESS_EVERY_MS) return;
    saidAt = performance.now();
    say(sum);
  };
}

function print(fields: object): void {
  console.log(JSON.stringify(fields));
}
