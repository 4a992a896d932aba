import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { commitMove } from '../../core/automations/enrollments/commit.ts';
import type { Enrollment } from '../../core/automations/model/enrollment.ts';
import type { Contact } from '../../core/people/model.ts';
import type { Environment } from '../support/environment.ts';
import { created } from './support.ts';

/** By one call. */
const ADDED_MAX = 500;

export async function newContacts({ deps, own }: Pick<Environment, 'deps' | 'own'>, count: number): Promise<Contact[]> {
  const emails = Array.from({ length: count }, () => `${new ObjectId()}@example.com`);
  const list = await created(own.client, '/contact-lists', { name: 'People' });
  for (let first = 0; first < count; first += ADDED_MAX) {
    const some = emails.slice(first, first + ADDED_MAX);
    const reply = await own.client.post('/contact-lists/contacts/bulk-add', { contactListId: list.id, emails: some });
    expect(reply.body.data.created, reply.text).to.equal(some.length);
  }
  return deps.db.contacts.find({ email: { $in: emails } }).toArray();
}

/** Contacts that are inside an automation without any trigger, before their first step or in a wait that is over. */
export async function peopleInside(
  { deps, own }: Environment,
  automationId: string,
  count: number,
  place: Partial<Enrollment> = {},
): Promise<Enrollment[]> {
  const contacts = await newContacts({ deps, own }, count);
  const now = deps.clock.now();
  const people = contacts.map(
    ({ _id: contactId }): Enrollment => ({
      _id: new ObjectId(),
      projectId: own.project._id,
      automationId: new ObjectId(automationId),
      contactId,
      status: 'active',
      live: true,
      version: 1,
      revision: 1,
      started: false,
      parked: false,
      stepId: null,
      waitFrom: null,
      waitUntil: null,
      exitReason: null,
      event: null,
      history: [{ type: 'entered', at: now }],
      enteredAt: now,
      updatedAt: now,
      endedAt: null,
      ...place,
    }),
  );
  const outcomes = await Promise.all(people.map((after) => commitMove(deps, own.project._id, { before: null, after })));
  expect(new Set(outcomes)).to.deep.equal(new Set(['written']));
  return people;
}

/** Compares the counts that the API returns with a recount of the people and their mails. */
export async function expectRecount({ deps, own }: Environment, id: string): Promise<void> {
  const automationId = new ObjectId(id);
  const [people, mails] = await Promise.all([
    deps.db.enrollments.find({ automationId }).toArray(),
    deps.db.messages.countDocuments({ automationId }),
  ]);
  const { statistics } = (await own.client.get(`/automations/${id}`)).body.data;
  const count = (isIt: (person: Enrollment) => boolean) => people.filter(isIt).length;
  expect(statistics).to.deep.include({
    entered: people.length,
    active: count(({ status }) => status === 'active'),
    completed: count(({ status }) => status === 'completed'),
    exited: count(({ status }) => status === 'exited'),
    parked: count(({ parked }) => parked),
    emails: mails,
  });
  for (const { stepId, active, exited, emails } of statistics.steps) {
    const there = people.filter((person) => person.stepId === stepId);
    expect(active, stepId).to.equal(there.filter(({ status }) => status === 'active').length);
    expect(exited, stepId).to.equal(there.filter(({ status }) => status === 'exited').length);
    const sent = people.flatMap(({ history }) => history).filter((event) => event.stepId === stepId && event.emailId);
    expect(emails, stepId).to.equal(sent.length);
  }
}
