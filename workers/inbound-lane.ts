import type { Deps } from '../core/base/deps.ts';
import { type InboundServer, openInboundServer } from '../platform/inbound/server.ts';
import type { Service } from './service.ts';

/** Mail that comes back, and mail that people write. */
export function inboundService(deps: Deps): Service {
  const opened: Promise<InboundServer> = openInboundServer(deps);
  return {
    name: 'inbound',
    ready: opened.then(({ port }) => deps.log.info({ port }, 'inbound mail is taken')),
    stop: async () => {
      const server = await opened.catch(() => null);
      await server?.close();
    },
  };
}
