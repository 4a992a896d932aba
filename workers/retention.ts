import type { Deps } from '../core/deps.ts';
import { takeRetentionTurn } from '../core/retention.ts';
import type { Service } from './lanes.ts';

const LOOK_EVERY_MS = 60_000;

/** Removes, at night, what is older than RETENTION_DAYS. Every process looks; one has the turn. */
export function retentionService(deps: Deps): Service {
  let isStopping = false;
  let looking = Promise.resolve();
  const look = async () => {
    try {
      const removed = await takeRetentionTurn(deps, () => !isStopping);
      if (removed) deps.log.info(removed, 'what is older than RETENTION_DAYS was removed');
    } catch (error) {
      deps.log.error({ err: error }, 'what is old could not be removed; it is tried again');
    }
  };
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, LOOK_EVERY_MS);
  return {
    name: 'retention',
    ready: Promise.resolve(),
    stop: async () => {
      isStopping = true;
      clearInterval(timer);
      await looking;
    },
  };
}
