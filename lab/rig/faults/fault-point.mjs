// Preloaded with NODE_OPTIONS=--import: this process sends itself DRILL_FAULT_SIGNAL at a point of its work, DRILL_FAULT_POINT, when it
// comes there for the DRILL_FAULT_AFTERth time. Before that it writes its id to DRILL_FAULT_FILE.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { DRILL_FAULT_POINT: point, DRILL_FAULT_SIGNAL: signal, DRILL_FAULT_FILE: file } = process.env;
let left = Number(process.env.DRILL_FAULT_AFTER ?? 1);

function reach(name) {
  if (name !== point || left === 0) return;
  left -= 1;
  if (left > 0) return;
  writeFileSync(file, String(process.pid));
  process.kill(process.pid, signal);
}

const { Collection, Db } = createRequire(join(process.cwd(), 'package.json'))('mongodb');

/** `before` and `after` get the collection and the arguments, and name the point that the call is at. */
function around(prototype, method, { before, after }) {
  const real = prototype[method];
  prototype[method] = async function (...given) {
    reach(before?.(this, given));
    const result = await real.apply(this, given);
    reach(after?.(this, given));
    return result;
  };
}

const insertedInto = (given) => given[0]?.insert;
around(Db.prototype, 'command', {
  before: (_db, given) => ({ messages: 'dot and row', campaignBlocks: 'freeze' })[insertedInto(given)],
});
around(Collection.prototype, 'insertMany', {
  before: ({ collectionName }) => (collectionName === 'projectEvents' ? 'row and event' : undefined),
});
around(Collection.prototype, 'findOneAndUpdate', {
  after({ collectionName }, [, update]) {
    if (collectionName === 'campaigns' && update.$set?.winner) return 'winner and event';
    if (collectionName !== 'campaignClaims') return undefined;
    return update[0]?.$set?.lostBy === undefined ? 'claim and dot' : 'takeover and settlement';
  },
});
