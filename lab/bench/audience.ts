import { parseArgs } from 'node:util';
import { type Figure, report } from '../rig/results/report.ts';
import { measureBehaviour } from './audience/behaviour.ts';
import { measureExport } from './audience/exports.ts';
import { measureImport } from './audience/imports.ts';
import { measureRequests } from './audience/requests.ts';
import { seedContacts } from './audience/seed.ts';
import { expectCountsRight, measureSegment } from './audience/segments.ts';
import { openStage, type Stage, say } from './audience/stage.ts';
import { measureSuppressions } from './audience/suppressions.ts';

/**
 * The audience at a million contacts in 50 lists, with 10 properties and 3 segments, over HTTP. Names among the arguments choose parts:
 * import (compared with a bare bulkWrite of the same upserts), segment, requests, suppressions, behaviour, export; without the import the contacts are
 * written straight into the database first, which takes a quarter of the time. At the end counts and segments are held against a recount.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { contacts: { type: 'string', default: '1000000' }, bare: { type: 'string' } },
});
const contacts = Number(values.contacts);
const bareRows = Number(values.bare ?? contacts / 5);
const parts: Record<string, (stage: Stage) => Promise<Figure[]>> = {
  import: (stage) => measureImport(stage, bareRows),
  segment: measureSegment,
  requests: measureRequests,
  suppressions: measureSuppressions,
  behaviour: measureBehaviour,
  export: measureExport,
};
const unknown = positionals.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0)
  throw new Error(`No such part: ${unknown.join(', ')}. Parts: ${Object.keys(parts).join(', ')}.`);
const chosen = positionals.length > 0 ? positionals : Object.keys(parts);

const stage = await openStage(contacts);
try {
  if (!chosen.includes('import')) await seedContacts(stage);
  const figures: Figure[] = [];
  for (const [name, measure] of Object.entries(parts)) {
    if (!chosen.includes(name)) continue;
    say(name);
    figures.push(...(await measure(stage)));
  }
  await expectCountsRight(stage);
  report('audience', figures);
} finally {
  await stage.close();
}
process.exit(0);
