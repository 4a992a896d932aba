import { ObjectId } from 'mongodb';
import type { Contact } from '../../../core/people/model.ts';
import { type DrillContext, SENDER } from '../context.ts';

/** A list of new people, straight into the database: the doors of contacts have drills of their own. */
export async function makeList(
  { deps, project }: DrillContext,
  prefix: string,
  count: number,
): Promise<{ listId: string; emails: string[] }> {
  const [_id, at] = [new ObjectId(), new Date()];
  const facts = { projectId: project._id, createdAt: at, updatedAt: at };
  const shape = { description: '', type: 'list' as const, filterCriteria: null, recompute: null };
  await deps.db.contactLists.insertOne({ _id, name: prefix, ...shape, ...facts });
  const nobody = { lastName: null, userId: null, mobile: null, contactProperties: {}, listIds: [_id], segmentIds: [] };
  const emails = Array.from({ length: count }, (_, index) => `${prefix}${index}@in.test`);
  const contacts = emails.map(
    (email): Contact => ({ _id: new ObjectId(), email, firstName: 'P', ...nobody, ...facts }),
  );
  if (count > 0) await deps.db.contacts.insertMany(contacts);
  return { listId: _id.toHexString(), emails };
}

/** The body of POST /campaigns that sends to a list at once. */
export function campaignTo(listId: string, sender = SENDER): object {
  return {
    ...{ name: 'Drill', subject: 'Hello {{firstName}}', htmlTemplate: '<p>Hello {{firstName}}.</p>' },
    ...{ from: { email: sender }, toLists: [listId], sendNow: true },
  };
}
