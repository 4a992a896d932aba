import type { updateEventBody } from '../../../schemas/events/events.ts';
import type { Described } from '../../../schemas/schema.ts';
import { isDuplicateKey } from '../../base/database/idempotent-insert.ts';
import { named } from '../../base/database/search.ts';
import { inTransaction } from '../../base/database/transactions.ts';
import { conflict, invalid, notFound } from '../../base/errors.ts';
import { derivedId, findById } from '../../base/ids.ts';
import type { Origin } from '../../base/maker.ts';
import type { Project } from '../../base/model.ts';
import { type Page, type PageOf, pageOf } from '../../base/paging.ts';
import { touchProjectRules } from '../../people/project-rules.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { EventDefinition, EventProperty } from '../model/event.ts';

type EventInput = Described<typeof updateEventBody>;

type Tenant = Pick<Project, '_id'>;

export async function createEvent(
  deps: AutomationsDeps,
  project: Tenant,
  input: EventInput & { eventName: string },
  { at, seed }: Origin,
): Promise<EventDefinition> {
  const definition: EventDefinition = {
    _id: derivedId(at, 'event definition', seed.toHexString()),
    projectId: project._id,
    eventName: input.eventName,
    description: input.description ?? '',
    properties: readProperties(input.properties ?? []),
    createdAt: at,
    updatedAt: at,
  };
  try {
    await inTransaction(deps, async (session) => {
      await deps.db.eventDefinitions.insertOne(definition, { session });
      await touchProjectRules(deps, project, session);
    });
    return definition;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const own = await deps.db.eventDefinitions.findOne({ _id: definition._id, projectId: project._id });
    if (own) return own;
    throw conflict('ALREADY_EXISTS', 'This project has an event with this name already.', 'eventName: is taken');
  }
}

export async function listEvents(
  deps: AutomationsDeps,
  project: Tenant,
  { search, ...page }: Page & { search?: string | undefined },
): Promise<PageOf<EventDefinition>> {
  const filter = { projectId: project._id, ...named(search, 'eventName') };
  return pageOf(deps.db.eventDefinitions, filter, page, { sort: { eventName: 1 }, hint: 'event_name' });
}

export function getEvent(deps: AutomationsDeps, project: Tenant, id: string): Promise<EventDefinition> {
  return findById(deps.db.eventDefinitions, project, id, 'EVENT');
}

/** Recorded events keep their values; automations read them with the new types. */
export async function updateEvent(
  deps: AutomationsDeps,
  project: Tenant,
  id: string,
  { eventName, description, properties }: EventInput,
): Promise<EventDefinition> {
  const { _id, eventName: name } = await getEvent(deps, project, id);
  if (eventName !== undefined && eventName !== name)
    throw invalid('eventName: cannot change; create another event instead.', 'eventName: cannot change');
  const set: Partial<EventDefinition> = { updatedAt: deps.clock.now() };
  if (description !== undefined) set.description = description;
  if (properties !== undefined) set.properties = readProperties(properties);
  const updated = await inTransaction(deps, async (session) => {
    const found = await deps.db.eventDefinitions.findOneAndUpdate(
      { _id, projectId: project._id },
      { $set: set },
      { session, returnDocument: 'after' },
    );
    await touchProjectRules(deps, project, session);
    return found;
  });
  if (!updated) throw notFound('EVENT');
  return updated;
}

/** Recorded events are kept. */
export async function deleteEvent(deps: AutomationsDeps, project: Tenant, id: string): Promise<void> {
  const { _id, eventName } = await getEvent(deps, project, id);
  const asks = [
    { 'entryCriteria.eventName': eventName },
    { 'steps.waitEvent.eventName': eventName },
    { 'steps.eventName': eventName },
  ];
  const user = await deps.db.automations.findOne(
    { projectId: project._id, status: 'active', deletedAt: null, $or: asks },
    { projection: { name: 1, 'entryCriteria.eventName': 1 } },
  );
  if (user) {
    const use = user.entryCriteria.eventName === eventName ? 'starts' : 'is waited for by';
    throw conflict('INVALID_STATE', `The event ${use} the active automation "${user.name}"; pause that one first.`);
  }
  await inTransaction(deps, async (session) => {
    await deps.db.eventDefinitions.deleteOne({ _id, projectId: project._id }, { session });
    await touchProjectRules(deps, project, session);
  });
}

function readProperties(given: NonNullable<EventInput['properties']>): EventProperty[] {
  const names = new Set<string>();
  return given.map(({ propertyName, type, description = '', suggestedValues = [] }, index) => {
    if (names.has(propertyName) || propertyName === '__proto__')
      throw invalid(
        `properties/${index}/propertyName: is given twice or not allowed.`,
        `properties/${index}/propertyName: is given twice or not allowed`,
      );
    names.add(propertyName);
    return { propertyName, type, description, suggestedValues };
  });
}
