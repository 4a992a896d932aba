import type { Deps } from '../core/base/deps.ts';
import { type InboundServer, openInboundServer } from '../platform/inbound/server.ts';
import type { Service } from './service.ts';

/** Takes bounces, reports and mail from people. */
export function inboundService(deps: Deps): Service {
  const opened: Promise<InboundServer> = openInboundServer(deps);
  return {
    name: 'inbound',
    ready: opened.then(({ port }) => deps.log.info({ port }, 'accepting inbound mail')),
    stop: async () => {
      const server = await opened.catch(() => null);
      await server?.close();
    },
  };
}
