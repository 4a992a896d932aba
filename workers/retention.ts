import { finishDeletions } from '../core/accounts/deletion.ts';
import type { Deps } from '../core/base/deps.ts';
import { takeRetentionTurn } from '../core/retention.ts';
import type { Service } from './service.ts';

const LOOK_EVERY_MS = 60_000;
/** People unsubscribe from mail, and complain about it, weeks after it came. */
const RETENTION_DAYS_ADVISED = 60;

/** Removes documents older than RETENTION_DAYS, at night, and all day what deletions of projects have left. Every process checks; one does the work. */
export function retentionService(deps: Deps): Service {
  const { retentionDays } = deps.config;
  if (retentionDays < RETENTION_DAYS_ADVISED)
    deps.log.warn(
      { retentionDays },
      `RETENTION_DAYS is less than ${RETENTION_DAYS_ADVISED}: late bounces, complaints and unsubscribes by mail cannot be matched to mail that was removed`,
    );
  let isStopping = false;
  let removing = Promise.resolve();
  const mayContinue = () => !isStopping;
  const failed = (what: string) => (error: unknown) =>
    deps.log.error({ err: error }, `removing ${what} failed; retrying`);
  const remove = async () => {
    await finishDeletions(deps, mayContinue).catch(failed('what a deleted project has left'));
    const removed = await takeRetentionTurn(deps, mayContinue).catch(failed('old documents'));
    if (removed) deps.log.info(removed, 'removed documents older than RETENTION_DAYS');
  };
  const timer = setInterval(() => {
    removing = removing.then(remove);
  }, LOOK_EVERY_MS);
  return {
    name: 'retention',
    ready: Promise.resolve(),
    stop: async () => {
      isStopping = true;
      clearInterval(timer);
      await removing;
    },
  };
}
