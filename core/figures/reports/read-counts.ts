import type { ObjectId } from 'mongodb';
import { DAY_MS } from '../../base/time/durations.ts';
import type { CountName } from '../../mail/ledger/counting/facts.ts';
import { quarterOf } from '../../mail/ledger/counting/tally.ts';
import type { FiguresDeps } from '../deps.ts';
import type { ReportCounts } from './model.ts';
import type { Range } from './ranges.ts';
import { readDay } from './rules/day-counts.ts';

/** The count of a project that is read. */
export interface Counted {
  projectId: ObjectId;
  count: number;
}

type Visit = (number: { part: string; text: string; atMs: number; name: CountName; by: number }) => void;

/**
 * Calls back for each number in the range that is not 0: of one part, in the order of time, or of all parts with a prefix. The first quarter
 * is the one that has `from`, so that nothing after `from` is missing. A part has one document a day, found by the index.
 */
export async function readCounts(
  { db }: Pick<FiguresDeps, 'db'>,
  { projectId, count }: Counted,
  parts: string | { startWith: string },
  { from, to }: Range,
  visit: Visit,
): Promise<void> {
  const [fromMs, toMs] = [quarterOf(from).getTime(), to.getTime()];
  const day = { $gte: new Date(Math.floor(fromMs / DAY_MS) * DAY_MS), $lt: to };
  const found = db.reportCounts
    .find<Pick<ReportCounts, 'part' | 'day' | 'text' | 'quarters'>>(
      { projectId, count, part: typeof parts === 'string' ? parts : startingWith(parts.startWith), day },
      { hint: 'part', projection: { _id: 0, part: 1, day: 1, text: 1, quarters: 1 } },
    )
    .sort({ part: 1, day: 1 });
  for await (const { part, day, text = '', quarters } of found)
    readDay(day, quarters.value(), (atMs, name, by) => {
      if (atMs >= fromMs && atMs < toMs) visit({ part, text, atMs, name, by });
    });
}

/** A range of the index: the next text after all of these has a higher last letter. */
function startingWith(prefix: string) {
  const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
  return { $gte: prefix, $lt: end };
}
