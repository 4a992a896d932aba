import type { ObjectId } from 'mongodb';
import { CONTACT_FIELDS } from '../../schemas/people/contacts.ts';
import type { CallerDeps } from '../base/deps.ts';
import { AppError } from '../base/errors.ts';
import { distinctIds } from '../base/ids.ts';
import type { PropertyValue, Session } from '../base/model.ts';
import { coerce } from '../base/text/coercion.ts';
import { recordConsents } from '../consent/consents/record.ts';
import { type ContactChange, changeContactsTogether } from '../people/changes/changes.ts';
import { requestWriter } from '../people/changes/counts.ts';
import { contactFields } from '../people/fields.ts';
import type { Contact } from '../people/model.ts';
import { type ProjectRules, projectRulesOf } from '../people/project-rules.ts';
import type { FormsDeps } from './deps.ts';
import type { Agreement } from './model.ts';

/** Code that follows what people agreed to in forms: once for each form that was accepted, or confirmed where it asks for that. */
interface FormSubscriber {
  /** In the transaction that changes the contact. */
  record(deps: CallerDeps, session: Session, contact: Contact, formIds: ObjectId[]): Promise<void>;
  announce(deps: CallerDeps, projectId: ObjectId): void;
}

declare module '../base/deps.ts' {
  interface Subscribers {
    acceptedForms: FormSubscriber;
  }
}

export interface Agreed {
  projectId: ObjectId;
  email: string;
  agreements: Agreement[];
  /** Of a contact that is made: a repeat makes the same one. */
  newId: ObjectId;
  /** null: the form asks for no confirmation, so it changes nothing that is there. */
  confirmed: { at: Date; networkAddress: string | null } | null;
}

/**
 * The contact, its fields and lists, the consents, and `within`: in one transaction. `within` throws when another process has
 * done the same.
 */
export async function applyAgreements(
  deps: FormsDeps,
  agreed: Agreed,
  within: (session: Session) => Promise<void>,
): Promise<void> {
  const { projectId, email, newId, confirmed, agreements } = agreed;
  const rules = await projectRulesOf(deps, projectId);
  const formIds = distinctIds(agreements.map(({ formId }) => formId));
  const { set, properties } = valuesOf(agreements, rules);
  const change: ContactChange = {
    email,
    newId,
    whenMissing: 'create',
    whenPresent: 'change',
    set,
    properties,
    onlyFills: confirmed === null,
    addListIds: await remainingLists(deps, projectId, agreements),
  };
  const write = (given: ContactChange) =>
    changeContactsTogether(deps, { _id: projectId }, [given], {
      writer: requestWriter(),
      inSameTransaction: async (session, [outcome]) => {
        if (!outcome || outcome instanceof AppError) throw outcome ?? new Error('a contact change returned no outcome');
        await within(session);
        const contact = outcome.after as Contact;
        await recordConsents(deps, session, projectId, consentsOf(agreed, contact));
        await deps.subscribers.acceptedForms.record(deps, session, contact, formIds);
      },
    });
  try {
    await write(change);
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'invalid')) throw error;
    // The contact holds as many properties as it may: the person is subscribed without those of the form.
    await write({ ...change, properties: {} });
  }
  deps.subscribers.acceptedForms.announce(deps, projectId);
}

/** The values of the last form win. A property that does not fit its custom field any more is left out. */
function valuesOf(agreements: Agreement[], { fields: declared }: ProjectRules) {
  const inOrder = agreements.toSorted((a, b) => a.askedAt.getTime() - b.askedAt.getTime());
  const values: Record<string, PropertyValue> = Object.assign({}, ...inOrder.map(({ fields }) => fields));
  const isOfContact = (name: string) => (CONTACT_FIELDS as readonly string[]).includes(name);
  const properties = Object.entries(values).filter(([name, value]) => {
    const type = declared.get(name)?.fieldType;
    return !isOfContact(name) && (!type || coerce(type, value).ok);
  });
  const set = contactFields((field) => (Object.hasOwn(values, field) ? String(values[field]) : null));
  return { set, properties: Object.fromEntries(properties) };
}

/** Lists may be deleted when no form names them any more. */
async function remainingLists({ db }: FormsDeps, projectId: ObjectId, agreements: Agreement[]): Promise<ObjectId[]> {
  const listIds = distinctIds(agreements.flatMap(({ listIds }) => listIds));
  const found = await db.contactLists
    .find({ projectId, _id: { $in: listIds }, type: 'list' }, { projection: { _id: 1 } })
    .toArray();
  return found.map(({ _id }) => _id);
}

function consentsOf({ email, agreements, confirmed }: Agreed, { _id: contactId }: Contact) {
  return agreements.map(({ formId, listIds, consent: text, askedAt, networkAddress }) => ({
    ...{ contactId, email, source: 'form' as const, formId, listIds, text, askedAt },
    confirmedAt: confirmed?.at ?? null,
    networkAddress: confirmed ? confirmed.networkAddress : networkAddress,
  }));
}
