import type { ObjectId } from 'mongodb';
import { isDuplicateKey } from '../../base/database/idempotent-insert.ts';
import { derivedId } from '../../base/ids.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import { projectRulesOf } from '../../people/project-rules.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Trigger } from '../model/enrollment.ts';
import { newTrigger, TRIGGERS } from '../record-triggers.ts';

interface WrittenMail {
  projectId: ObjectId;
  messageId: ObjectId;
  /** Normal forms. */
  from: string;
  to: string[];
  at: Date;
}

/** Mail that a person wrote. A repeat for the same mail makes the same triggers, and so do their enrollments. */
export async function recordMail(deps: AutomationsDeps, mail: WrittenMail): Promise<void> {
  const { projectId, messageId, from: email, at } = mail;
  const { entrances } = await projectRulesOf(deps, projectId);
  const watching = entrances.filter(({ entry }) => entry.address !== null && mail.to.includes(entry.address));
  if (watching.length === 0) return;
  const contact = await deps.db.contacts.findOne({ projectId, email });
  if (!contact) return;
  const entered = watching.filter(({ entry }) => entry.admits({ contact }));
  for (const [to = '', some] of Map.groupBy(entered, ({ entry }) => entry.address)) {
    const automationIds = some.map(({ _id }) => _id);
    const _id = derivedId(at, 'mail of a person', messageId.toHexString(), String(to));
    await insertTrigger(deps, { ...newTrigger(deps, projectId, contact._id, automationIds), _id, at });
  }
}

async function insertTrigger(deps: AutomationsDeps, trigger: Trigger): Promise<void> {
  try {
    await deps.db.triggers.insertOne(trigger);
  } catch (error) {
    if (!isDuplicateKey(error, '_id_')) throw error;
  }
  wakeQueue(deps, TRIGGERS, trigger.projectId);
}
