import { listen, positionId, wantedTypes, watchEvents } from '../../core/feed/stream.ts';
import { webhookBody } from '../../core/feed/webhook-deliveries.ts';
import { streamQuery } from '../../schemas/stream.ts';
import { webhookEvent } from '../../schemas/webhook-events.ts';
import { EventStream, endpoint, type ServerEvent, streamEnds, streamErrors } from '../http/endpoint.ts';

export const streamRoutes = [
  endpoint({
    operation: 'stream.open',
    method: 'get',
    path: '/stream',
    key: 'token',
    tag: 'webhooks',
    summary: 'Every event of the project as server-sent events, from now on or after Last-Event-ID',
    description: `A new stream begins with an id without data: its position, for a reader that is cut off before the first event. After a reconnect the events of some seconds may come again; an event is the same by its id. ${streamEnds}`,
    query: streamQuery,
    produces: ['text/event-stream'],
    events: webhookEvent,
    errors: streamErrors,
    handler: async ({ deps, project, query, request }) => {
      wantedTypes(query.types);
      await listen(deps, project._id);
      const lastEventId = request.header('last-event-id');
      const position = lastEventId === '' ? { id: positionId(deps) } : null;
      const watched = watchEvents(deps, project, { types: query.types, lastEventId, signal: request.signal });
      return new EventStream(asServerEvents(position, watched));
    },
  }),
];

async function* asServerEvents(
  position: ServerEvent | null,
  watched: ReturnType<typeof watchEvents>,
): AsyncGenerator<ServerEvent | null> {
  if (position) yield position;
  for await (const event of watched)
    yield event && { id: event._id.toHexString(), event: event.type, data: webhookBody(event) };
}
