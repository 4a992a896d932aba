import { type Figure, figure } from '../../rig/results/report.ts';
import { setCap } from '../../rig/tenant.ts';
import { pause } from '../../rig/waiting.ts';
import { tell } from './figures.ts';
import { addPeople, openInstallation } from './installation.ts';
import { type Measured, measureCampaign, PARAGRAPHS } from './measure.ts';
import type { Size } from './size.ts';

/** So high that all recipients are sent to. */
const CAP = { mails: 100, withinDays: 90, exceptGroupIds: [] };
/** Senders read the cap once a second. */
const READ_MS = 2_000;

/** A campaign without a frequency cap, the first one under a cap, which inserts a document for each address, and the next, which changes them. */
export async function capped({ recipients, rounds, shared }: Size): Promise<Figure[]> {
  const installation = await openInstallation({ ...shared, mail: false });
  const { drill } = installation;
  const listId = await addPeople(drill, recipients);
  const found: Record<'without' | 'first' | 'next', Measured[]> = { without: [], first: [], next: [] };
  const measure = async () =>
    tell(await measureCampaign(installation, { listId, recipients, paragraphs: PARAGRAPHS.small }));
  for (const _ of rounds) {
    await setCap(drill, null);
    await pause(READ_MS);
    found.without.push(await measure());
    await setCap(drill, CAP);
    await pause(READ_MS);
    await drill.deps.db.frequencyPlaces.deleteMany({ projectId: drill.project._id });
    found.first.push(await measure());
    found.next.push(await measure());
  }
  await installation.close();
  const micros = (some: Measured[]) => some.map(({ micros: { mongod } }) => mongod);
  const bound: Pick<Figure, 'ceiling' | 'asked'> = {
    ceiling: { name: 'without a cap', values: micros(found.without) },
    asked: { of: 'ratio', atMost: 1.5 },
  };
  const name = `CPU of mongod for each of ${recipients.toLocaleString('en-US')} recipients`;
  return [
    figure(`${name}, the first campaign under a frequency cap`, 'us', micros(found.first), bound),
    figure(`${name}, the next one`, 'us', micros(found.next), bound),
  ];
}
