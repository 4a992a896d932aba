import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { advanceEnrollment } from '../../core/automations/enrollments/advance.ts';
import { eventQueue, triggerQueue } from '../../core/automations/enrollments/enroll.ts';
import { eventsSince } from '../../core/automations/enrollments/hearing.ts';
import type { EventRecord } from '../../core/automations/model/event.ts';
import { SEARCHED_LENGTH_MAX } from '../../core/people/filters/model.ts';
import { activeAutomation, created, email, makeSending, wait } from '../automations/support.ts';
import { useEnvironment } from '../support/environment.ts';
import { HOLD_MS_MAX } from './cpu.ts';
import { leastHold } from './hold.ts';

const GOALS = 20;
const CONDITIONS = 50;
const EVENTS = 300;
const DAY_MS = 86_400_000;

/** About a text that each of them nearly finds. */
const criteriaOf = (conditions: number) => ({
  logicalOperator: 'OR',
  groups: Array.from({ length: conditions }, (_, at) => ({
    ...{ field: 'event.properties.words', operator: 'contains' },
    value: `${'a'.repeat(SEARCHED_LENGTH_MAX / CONDITIONS - 3)}${String(at).padStart(3, 'b')}`,
  })),
});
/** As many conditions as a step may have, and as many again in all others together. */
const goals = Array.from({ length: GOALS }, (_, at) => ({
  ...{ type: 'goal', stepId: `goal${at}`, eventName: 'wrote' },
  filterCriteria: criteriaOf(at === 0 ? CONDITIONS : Math.floor(CONDITIONS / (GOALS - 1))),
}));
const steps = [wait(1, 'days', { stepId: 'first' }), ...goals, wait(1), email('bye')];
const words = 'a'.repeat(4_096);

describe('Events of a person, which many goals ask for', function () {
  this.timeout(180_000);
  const env = useEnvironment({ TEMPORAL_ADDRESS: '127.0.0.1:9' });
  let id: string;
  before(async () => {
    await makeSending(env.deps, env.own);
    const properties = [{ propertyName: 'words', type: 'string' }];
    await created(env.own.client, '/events', { eventName: 'wrote', properties });
    id = (await activeAutomation(env.own.client, { steps })).id;
  });

  const process = async () => {
    for (const queue of [triggerQueue, eventQueue])
      for (const run of (await queue(env.deps).take(env.own.project._id, 16)).runs) await run();
  };
  const entered = async () => {
    const { id: contactId } = await created(env.own.client, '/contacts', { email: `${new ObjectId()}@example.com` });
    await process();
    const person = await env.deps.db.enrollments.findOne({ contactId: new ObjectId(contactId) });
    expect(person).to.include({ stepId: 'first' });
    return person!;
  };
  const withEvents = async (count: number, length: number) => {
    const person = await entered();
    const { projectId, contactId } = person;
    const events = Array.from({ length: count }, (_, at): EventRecord => {
      const createdAt = new Date(env.clock.now().getTime() + at);
      const properties = { words, rest: 'x'.repeat(length) };
      return { _id: new ObjectId(), projectId, contactId, eventName: 'wrote', properties, createdAt };
    });
    for (let from = 0; from < count; from += 100) await env.deps.db.events.insertMany(events.slice(from, from + 100));
    return { person, events };
  };

  it('hold no worker while they are compared', async () => {
    const { person } = await withEvents(EVENTS, 0);
    const { projectId, _id: enrollmentId } = person;
    const { holdMs } = await leastHold(() => advanceEnrollment(env.deps, { projectId, enrollmentId }, 0));
    expect(holdMs).to.be.below(HOLD_MS_MAX);
  });

  it('hold no API that simulates them', async () => {
    const from = '2030-01-01T00:00:00.000Z';
    const events = Array.from({ length: 200 }, (_, at) => ({
      ...{ eventName: 'wrote', properties: { words } },
      at: new Date(Date.parse(from) + DAY_MS / 2 + at).toISOString(),
    }));
    const { holdMs, result } = await leastHold(() =>
      env.own.client.post(`/automations/${id}/simulate`, { from, contact: { email: 'ann@example.com' }, events }),
    );
    expect(result.status, result.text).to.equal(200);
    expect(holdMs).to.be.below(HOLD_MS_MAX);
  });

  it('are read as far as they fit into memory, the newest', async () => {
    const { person, events } = await withEvents(60, 300_000);
    const compiled = { awaited: { eventNames: new Set(['wrote']) } } as unknown as Parameters<typeof eventsSince>[2];
    const found = await eventsSince(env.deps, person, compiled);
    expect(found.length).to.be.within(5, 20);
    expect(found.at(-1)?.at).to.deep.equal(events.at(-1)?.createdAt);
    expect(found).to.deep.equal(found.toSorted((a, b) => a.at.getTime() - b.at.getTime()));
  });
});
