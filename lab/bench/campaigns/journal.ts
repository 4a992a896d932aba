import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../../core/base/deps.ts';
import { createDotJournals } from '../../../platform/dots/journals.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { tell } from './figures.ts';
import { addPeople, openInstallation } from './installation.ts';
import { type Measured, measureCampaign } from './measure.ts';
import type { Size } from './size.ts';

const NOTES = 200_000;
const OWNER = `${'0'.repeat(24)}@${'0'.repeat(8)}`;

/**
 * The same campaign from senders with a dot journal and from senders that can keep none, in turns, each pair on an installation of its
 * own that is idle. The rounds of one kind differ by more than a journal costs, so its notes are also measured alone.
 */
export async function journal({ recipients, rounds, shared }: Size): Promise<Figure[]> {
  const open = async (kept: boolean) => {
    const installation = await openInstallation({ ...shared, mail: false, journal: kept });
    return { installation, listId: await addPeople(installation.drill, recipients), found: [] as Measured[] };
  };
  const [kept, bare] = [await open(true), await open(false)];
  const notes: number[] = [];
  for (const _ of rounds) {
    for (const { installation, listId, found } of [kept, bare])
      found.push(tell(await measureCampaign(installation, { listId, recipients })));
    notes.push(journalMicros(kept.installation.drill.deps));
  }
  for (const { installation } of [kept, bare]) await installation.close();
  const [withOne, without] = [kept, bare].map(({ found }) => found.map(({ micros }) => micros.senders)) as [
    number[],
    number[],
  ];
  return [
    figure('What the dot journal adds to a recipient: its two notes, alone', 'us', notes, {
      asked: { atMost: 3, aim: 1 },
    }),
    figure('CPU of the senders for each recipient of 8.9 kB, with a dot journal', 'us', withOne, {
      ceiling: { name: 'without one', values: without },
    }),
  ];
}

/** CPU of a recipient's two notes, the dot and the answer, in microseconds. */
function journalMicros({ log }: Pick<Deps, 'log'>): number {
  const dataDir = mkdtempSync(join(tmpdir(), 'everpost-dots-'));
  const journal = createDotJournals({ dataDir, log }).open(OWNER, () => []);
  if (!journal) throw new Error('No dot journal can be kept here.');
  const ids = Array.from({ length: NOTES }, () => new ObjectId());
  const before = process.cpuUsage();
  for (const [claim, _id] of ids.entries()) {
    journal.note({ _id, claim }, 'begun');
    journal.note({ _id, claim }, 'accepted');
  }
  const { user, system } = process.cpuUsage(before);
  journal.remove();
  rmSync(dataDir, { recursive: true, force: true });
  return (user + system) / NOTES;
}
