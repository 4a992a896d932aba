import type { Figure } from '../../rig/results/report.ts';
import { setFrequencyCap } from '../../rig/traffic/cap.ts';
import { tell } from './figures.ts';
import { addPeople, openInstallation } from './installation.ts';
import { type Measured, measureCampaign, PARAGRAPHS } from './measure.ts';
import type { Size } from './size.ts';

/** So high that all recipients are sent to. */
const CAP = { mails: 100, withinDays: 90 };

/** A campaign without a frequency cap, the first one under a cap, which inserts a document for each address, and the next, which changes them. */
export async function capped({ recipients, rounds, shared }: Size): Promise<Figure[]> {
  const installation = await openInstallation({ ...shared, mail: false });
  const { drill } = installation;
  const listId = await addPeople(drill, recipients);
  const found: Record<'without' | 'first' | 'next', Measured[]> = { without: [], first: [], next: [] };
  const measure = async () =>
    tell(await measureCampaign(installation, { listId, recipients, signing: 'relay', paragraphs: PARAGRAPHS.small }));
  for (const _ of rounds) {
    await setFrequencyCap(drill, null);
    found.without.push(await measure());
    await setFrequencyCap(drill, CAP);
    await drill.deps.db.frequencyPlaces.deleteMany({ projectId: drill.project._id });
    found.first.push(await measure());
    found.next.push(await measure());
  }
  await installation.close();
  const micros = (some: Measured[]) => some.map(({ micros: { mongod } }) => mongod);
  const ratio = (some: Measured[]) => micros(some).map((value, round) => value / micros(found.without)[round]!);
  const name = `CPU of mongod for each of ${recipients.toLocaleString('en-US')} recipients`;
  return [
    { name: `${name}, without a frequency cap`, unit: 'us', values: micros(found.without) },
    { name: `${name}, the first campaign under a cap`, unit: 'us', values: micros(found.first) },
    { name: `${name}, the next one`, unit: 'us', values: micros(found.next) },
    {
      name: 'The same under a cap beside none, first campaign',
      unit: '',
      values: ratio(found.first),
      asked: { atMost: 1.5 },
    },
    {
      name: 'The same under a cap beside none, next campaign',
      unit: '',
      values: ratio(found.next),
      asked: { atMost: 1.5 },
    },
  ];
}
