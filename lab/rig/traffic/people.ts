import { ObjectId } from 'mongodb';
import type { Contact } from '../../../core/people/model.ts';
import { type DrillContext, SENDER } from '../context.ts';

const AT_ONCE = 5_000;

/** A list of new people, straight into the database: the doors of contacts have drills of their own. */
export async function makeList(
  { deps, project }: Pick<DrillContext, 'deps' | 'project'>,
  name: string,
  count: number,
  personOf: (index: number) => Partial<Pick<Contact, 'email' | 'firstName' | 'contactProperties'>> = () => ({}),
): Promise<{ listId: string; emails: string[] }> {
  const [_id, at] = [new ObjectId(), new Date()];
  const facts = { projectId: project._id, createdAt: at, updatedAt: at };
  const shape = { description: '', type: 'list' as const, filterCriteria: null, recompute: null };
  await deps.db.contactLists.insertOne({ _id, name, ...shape, ...facts });
  const nobody = { lastName: null, userId: null, mobile: null, contactProperties: {}, listIds: [_id], segmentIds: [] };
  const emails: string[] = [];
  while (emails.length < count) {
    const contacts = Array.from({ length: Math.min(AT_ONCE, count - emails.length) }, (_, offset): Contact => {
      const index = emails.length + offset;
      const person = { email: `${name}${index}@in.test`, firstName: `P${index}`, ...personOf(index) };
      return { _id: new ObjectId(), ...nobody, ...person, ...facts };
    });
    await deps.db.contacts.insertMany(contacts);
    emails.push(...contacts.map(({ email }) => email));
  }
  return { listId: _id.toHexString(), emails };
}

/** The body of POST /campaigns that sends to a list at once. */
export function campaignTo(listId: string, sender = SENDER) {
  return {
    ...{ name: 'Drill', subject: 'Hello {{firstName}}', htmlTemplate: '<p>Hello {{firstName}}.</p>' },
    ...{ from: { email: sender }, toLists: [listId], sendNow: true },
  };
}
