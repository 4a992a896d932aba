import type { Deps } from '../core/base/deps.ts';
import { createRateLimiter } from '../platform/redis/rate-limit.ts';
import { openRedis } from '../platform/redis/redis.ts';
import { openSubmissionServer, type SubmissionServer } from '../platform/submission/server.ts';
import type { Service } from './service.ts';

/** Takes mail of callers by SMTP. Requests by HTTP count for the same limits. */
export function submissionService(deps: Deps): Service {
  const { redis, close } = openRedis(deps.config, deps.log);
  const limiter = createRateLimiter(redis, deps.config.mongodbDatabase);
  const opened: Promise<SubmissionServer> = openSubmissionServer(deps, { limiter });
  return {
    name: 'submission',
    ready: opened.then(({ port, tlsPort }) => deps.log.info({ port, tlsPort }, 'accepting submitted mail')),
    stop: async () => {
      const server = await opened.catch(() => null);
      await server?.close();
      limiter.stop();
      close();
    },
  };
}
