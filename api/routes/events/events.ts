import {
  createEvent,
  deleteEvent,
  getEvent,
  listEvents,
  updateEvent,
} from '../../../core/automations/events/events.ts';
import { newestRecords, seenEvents } from '../../../core/automations/events/recorded.ts';
import { sendEvent } from '../../../core/automations/events/send.ts';
import {
  createEventBody,
  eventAnswer,
  eventRecordAnswer,
  eventsAnswer,
  eventsQuery,
  recordsAnswer,
  recordsQuery,
  seenEventsAnswer,
  sendEventBody,
  updateEventBody,
} from '../../../schemas/events/events.ts';
import { endpoint } from '../../http/endpoint.ts';
import { presentEventDefinition, presentEventRecord } from '../../present/automations.ts';
import { presentPage } from '../../present/page.ts';

const tag = 'events';

export const eventRoutes = [
  endpoint({
    operation: 'events.send',
    method: 'post',
    path: '/events/send',
    key: 'project',
    tag,
    summary: 'Record a custom event of a contact',
    description: 'Active automations that this event triggers start after the answer.',
    body: sendEventBody,
    answer: eventRecordAnswer,
    status: 201,
    errors: { 404: 'EVENT_NOT_FOUND, or CONTACT_NOT_FOUND_FOR_EVENT.' },
    handler: async ({ deps, project, body, request }) =>
      presentEventRecord(await sendEvent(deps, project, body, request)),
  }),
  endpoint({
    operation: 'events.list',
    method: 'get',
    path: '/events',
    key: 'token',
    tag,
    summary: 'List event definitions, by name',
    query: eventsQuery,
    answer: eventsAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('events', await listEvents(deps, project, query), presentEventDefinition),
  }),
  endpoint({
    operation: 'events.seen',
    method: 'get',
    path: '/events/seen',
    key: 'token',
    tag,
    summary: 'List the names of custom events of the last 30 days',
    answer: seenEventsAnswer,
    handler: async ({ deps, project }) => ({ events: await seenEvents(deps, project) }),
  }),
  endpoint({
    operation: 'events.create',
    method: 'post',
    path: '/events',
    key: 'token',
    tag,
    summary: 'Define an event and its properties',
    body: createEventBody,
    answer: eventAnswer,
    status: 201,
    handler: async ({ deps, project, body, request }) =>
      presentEventDefinition(await createEvent(deps, project, body, request)),
  }),
  endpoint({
    operation: 'events.get',
    method: 'get',
    path: '/events/{eventId}',
    key: 'token',
    tag,
    summary: 'Get an event definition',
    answer: eventAnswer,
    handler: async ({ deps, project, params }) =>
      presentEventDefinition(await getEvent(deps, project, params.eventId ?? '')),
  }),
  endpoint({
    operation: 'events.records',
    method: 'get',
    path: '/events/{eventId}/records',
    key: 'token',
    tag,
    summary: 'List the newest recorded events of a definition',
    query: recordsQuery,
    answer: recordsAnswer,
    handler: async ({ deps, project, params, query }) => ({
      records: (await newestRecords(deps, project, params.eventId ?? '', query)).map(({ record, email }) => ({
        ...presentEventRecord(record),
        email,
      })),
    }),
  }),
  endpoint({
    operation: 'events.update',
    method: 'patch',
    path: '/events/{eventId}',
    key: 'token',
    tag,
    summary: 'Change the description or the properties of an event definition',
    body: updateEventBody,
    answer: eventAnswer,
    handler: async ({ deps, project, params, body }) =>
      presentEventDefinition(await updateEvent(deps, project, params.eventId ?? '', body)),
  }),
  endpoint({
    operation: 'events.delete',
    method: 'delete',
    path: '/events/{eventId}',
    key: 'token',
    tag,
    summary: 'Delete an event definition; recorded events stay',
    handler: async ({ deps, project, params }) => deleteEvent(deps, project, params.eventId ?? ''),
  }),
];
