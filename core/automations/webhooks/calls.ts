import { ObjectId } from 'mongodb';
import { type StepCall, stepEventId } from '../../events/step-webhooks.ts';
import { contactData } from '../../people/contacts/events.ts';
import type { Contact } from '../../people/model.ts';
import type { AutomationWebhook } from '../model/definition.ts';
import type { Enrollment } from '../model/enrollment.ts';
import { webhookIdOf } from './addresses.ts';

interface Visit {
  /** As it was before the move. */
  enrollment: Enrollment;
  stepId: string;
  webhook: AutomationWebhook;
  /** With the changes that earlier steps of the same move make. */
  person: Contact;
}

/** The event of one step for one person, to be published with the move; the same for every attempt at this visit of the step. */
export function stepCall({ enrollment, stepId, webhook, person }: Visit): StepCall {
  const { _id, projectId, automationId, revision, event } = enrollment;
  const { sealedHeaders, wait } = webhook;
  const enrollmentId = _id.toHexString();
  const to = {
    webhookId: new ObjectId(webhookIdOf(projectId, webhook)),
    ...(sealedHeaders && { headersId: new ObjectId(sealedHeaders.id) }),
    ...(wait && { isAwaited: true as const }),
  };
  return {
    _id: stepEventId(projectId, enrollmentId, stepId, String(revision)),
    to,
    data: {
      ...{ enrollmentId, automationId: automationId.toHexString(), stepId, email: person.email },
      contact: contactData(person),
      event: event && { name: event.name, properties: event.properties },
    },
  };
}
