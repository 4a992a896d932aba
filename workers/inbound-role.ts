import { type Deps, oncePerCore } from '../core/base/deps.ts';
import { quotaWatchers } from '../core/inbound/quotas.ts';
import type { JobQueue } from '../core/jobs/queue.ts';
import { sandboxReports } from '../core/mail/deliver/sandbox/reports.ts';
import { handToServer } from '../platform/inbound/own-mail.ts';
import { openInboundServer } from '../platform/inbound/server.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Service } from './service.ts';

const serverOf = oncePerCore((deps: Deps) => openInboundServer(deps));

/** Reports about mail to sandbox addresses come in like those of any mail server. */
export function ownReports(deps: Deps): JobQueue {
  return sandboxReports(deps, async (mail) => handToServer(deps.config, (await serverOf(deps)).port, mail));
}

/** Takes bounces, reports and mail from people. */
export function inboundService(deps: Deps): Service {
  const opened = serverOf(deps);
  return {
    name: 'inbound',
    ready: opened.then(({ port }) => deps.log.info({ port }, 'accepting inbound mail')),
    stop: async () => {
      const server = await opened.catch(() => null);
      await server?.close();
    },
  };
}

/** Metrics of mail to people, for /metrics. */
export function measureInbound({ counter }: Metrics, deps: Deps): void {
  const taken = counter('everpost_inbound_bytes_total', 'Bytes of mail to people that this process took.');
  const putOff = counter('everpost_inbound_put_off_total', 'How often mail was over a quota of the day.', ['quota']);
  for (const quota of ['network', 'project']) putOff.inc({ quota }, 0);
  quotaWatchers(deps).add((change) => {
    if ('putOff' in change) putOff.inc({ quota: change.putOff });
    else taken.inc(change.takenBytes);
  });
}
