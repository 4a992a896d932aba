import { domainAnswer } from '../domains/domains.ts';
import { liveProgress, projectSummary } from '../figures/now.ts';
import { importAnswer } from '../people/imports.ts';
import { shape } from '../schema.ts';
import { eventRecordAnswer } from './events.ts';
import { type EventFacts, eventSchema, schemaOfEvent } from './webhook-events.ts';
import { eventTypes, type StreamedEventType, type StreamOnlyEventType } from './webhooks.ts';

/** The events that only /stream has, and the payload of all that it has. */
export const streamOnlyEvents: Record<StreamOnlyEventType, EventFacts> = {
  'campaign.progress': {
    description:
      'A campaign that is under way or paused got further, or has ended; at most twice a second. Only where types names it.',
    data: liveProgress,
  },
  'project.summary': {
    description: 'The figures of the project have changed; at most twice a second. Only where types names it.',
    data: projectSummary,
  },
  'import.progress': {
    description: 'Rows of an import were read, or it ended; at most twice a second. Only where types names it.',
    data: importAnswer.json,
  },
  'domain.checked': {
    description: 'The DNS records of a domain were checked. Only where types names it.',
    data: domainAnswer.json,
  },
  'event.recorded': {
    description:
      'A custom event was recorded; ten at most of those that are recorded together. Only where types names it.',
    data: eventRecordAnswer.json,
  },
};

const ofStreams = Object.entries(streamOnlyEvents).map(
  ([type, facts]) => [type as StreamedEventType, schemaOfEvent(type, facts)] as const,
);

/** By type. */
export const streamedEventSchemas = new Map([
  ...eventTypes.map((type) => [type, eventSchema(type)] as const),
  ...ofStreams,
]);

export const streamEvent = shape({ title: 'StreamEvent', oneOf: [...streamedEventSchemas.values()] });
