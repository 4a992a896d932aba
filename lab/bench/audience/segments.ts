import { ObjectId } from 'mongodb';
import { until } from '../../../test/support/wait.ts';
import { usageOf } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { say } from '../run.ts';
import type { Person, Stage } from './stage.ts';

/** A segment that is made when everybody is there: from the call until everybody who belongs is in it. */
export async function measureSegment({ client, worker, contacts, segments, personOf }: Stage): Promise<Figure[]> {
  const groups = [{ field: 'contactProperties.p1', operator: 'equals', value: 3, fieldType: 'number' }];
  const seen = new Set<number>();
  const begun = performance.now();
  const { id } = (await client.post('/contact-lists', { name: 'Late', filterCriteria: { groups } })).body.data;
  const answered = performance.now() - begun;
  let peakMb = 0;
  const done = await until(
    async () => {
      peakMb = Math.max(peakMb, usageOf(worker.pid).residentMb);
      const list = (await client.get(`/contact-lists/${id}`)).body.data;
      seen.add(list.recompute.percent);
      return list;
    },
    ({ recompute }) => recompute.status !== 'running',
    { ms: 600_000, everyMs: 100 },
  );
  const seconds = (performance.now() - begun) / 1_000;
  const takes = ({ values }: Person) => values[1] === 3;
  segments.push({ id, takes });
  const wanted = Array.from({ length: contacts }, (_, index) => personOf(index)).filter(takes);
  if (done.contactCount !== wanted.length)
    throw new Error(`${done.contactCount} are in the segment, ${wanted.length} belong there`);
  return [
    figure('creating a segment over everybody: until it is answered', 'ms', [answered]),
    figure(`creating a segment over ${contacts}: until everybody who belongs is in`, 's', [seconds], {
      note: `${done.contactCount} joined; ${seen.size} different percentages shown; worker at most ${peakMb} MB`,
    }),
  ];
}

/** Compares the counts of lists with a recount of the contacts, and those of segments with the people that this bench made. */
export async function expectCountsRight({ drill, client, segments }: Stage): Promise<void> {
  const { deps, project } = drill;
  const filter = { projectId: project._id };
  const { lists } = (await client.get('/contact-lists?limit=100')).body.data;
  for (const { id, contactCount } of lists) {
    const isGlobal = id === 'GLOBAL_CONTACT_LIST';
    const own = new ObjectId(isGlobal ? undefined : id);
    const members = isGlobal ? filter : { ...filter, $or: [{ listIds: own }, { segmentIds: own }] };
    const counted = await deps.db.contacts.countDocuments(members);
    if (counted !== contactCount) throw new Error(`list ${id} says ${contactCount}, counted ${counted}`);
  }
  const projection = { email: 1, firstName: 1, contactProperties: 1, segmentIds: 1 };
  for await (const { email, firstName, contactProperties, segmentIds } of deps.db.contacts.find(filter, {
    projection,
  })) {
    const values = [0, 1, 2, 3].map((column) => Number(contactProperties[`p${column}`] ?? 0));
    const person = { email, firstName: firstName ?? '', lastName: '', listId: '', values };
    for (const { id, takes } of segments)
      if (takes(person) !== segmentIds.some((one) => one.toHexString() === id))
        throw new Error(`${email} and segment ${id}: ${JSON.stringify({ firstName, contactProperties, segmentIds })}`);
  }
  say('counts and segments are right');
}
