import type { Figure } from '../rig/results/report.ts';
import { measureBehaviour } from './audience/behaviour.ts';
import { measureExport } from './audience/exports.ts';
import { measureImport } from './audience/imports.ts';
import { measureRequests } from './audience/requests.ts';
import { seedContacts } from './audience/seed.ts';
import { expectCountsRight, measureSegment } from './audience/segments.ts';
import { openStage, type Stage } from './audience/stage.ts';
import { measureSuppressions } from './audience/suppressions.ts';
import { chosen, keep, say, sizeOr } from './run.ts';

/**
 * The audience at a million contacts in 50 lists, with 10 properties and 3 segments, over HTTP. Names among the arguments choose parts:
 * import (compared with a bare bulkWrite of the same upserts), segment, requests, suppressions, behaviour, export; without the import the contacts are
 * written straight into the database first, which takes a quarter of the time. At the end counts and segments are held against a recount.
 */
const contacts = sizeOr(1_000_000);
const parts = chosen<(stage: Stage) => Promise<Figure[]>>({
  import: (stage) => measureImport(stage, contacts / 5),
  segment: measureSegment,
  requests: measureRequests,
  suppressions: measureSuppressions,
  behaviour: measureBehaviour,
  export: measureExport,
});

const stage = await openStage(contacts);
try {
  if (!parts.some(([name]) => name === 'import')) await seedContacts(stage);
  const figures: Figure[] = [];
  for (const [name, measure] of parts) {
    say(name);
    figures.push(...(await measure(stage)));
  }
  await expectCountsRight(stage);
  keep('audience', figures);
} finally {
  await stage.close();
}
process.exit(0);
