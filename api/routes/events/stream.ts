import { listen } from '../../../core/events/listeners.ts';
import { positionId, wantedTypes, watchEvents } from '../../../core/events/stream.ts';
import { webhookBody } from '../../../core/events/webhook-deliveries.ts';
import { publishFigures } from '../../../core/figures/live/publisher.ts';
import { streamQuery } from '../../../schemas/events/stream.ts';
import { streamEvent } from '../../../schemas/events/stream-events.ts';
import { EventStream, endpoint, type ServerEvent, streamEnds, streamErrors } from '../../http/endpoint.ts';

export const streamRoutes = [
  endpoint({
    operation: 'stream.open',
    method: 'get',
    path: '/stream',
    key: 'token',
    tag: 'webhooks',
    summary: 'Stream the events of the project as server-sent events, from now on or after Last-Event-ID',
    description: `Only events of types that a stream or a webhook asks for are kept. A new stream begins with an id without data: its position, for a reader that loses the connection before the first event. After a reconnect the events of some seconds may come again, with the same ids. ${streamEnds}`,
    query: streamQuery,
    produces: ['text/event-stream'],
    events: streamEvent,
    errors: streamErrors,
    handler: async ({ deps, project, query, request }) => {
      const { signal } = request;
      const types = wantedTypes(query.types);
      await listen(deps, project._id, types);
      const lastEventId = request.header('last-event-id');
      const position = lastEventId === '' ? { id: positionId(deps) } : null;
      publishFigures(deps, project, { types, timezone: query.timezone ?? 'UTC' }, signal);
      const watched = await watchEvents(deps, project, { types, lastEventId, signal });
      return new EventStream(asServerEvents(position, watched));
    },
  }),
];

async function* asServerEvents(
  position: ServerEvent | null,
  watched: Awaited<ReturnType<typeof watchEvents>>,
): AsyncGenerator<ServerEvent | null> {
  if (position) yield position;
  for await (const event of watched)
    yield event && { id: event._id.toHexString(), event: event.type, data: webhookBody(event) };
}
