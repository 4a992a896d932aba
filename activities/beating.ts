import { heartbeat } from '@temporalio/activity';

const BEAT_EVERY_MS = 1_000;

/**
 * Sends heartbeats while the work lasts, with details for the Web UI. A task that is lost between Temporal and a worker is known by missing
 * ones, long before its time would be over.
 */
export async function beating<T>(work: () => Promise<T>, details: () => unknown = () => undefined): Promise<T> {
  const beat = setInterval(() => heartbeat(details()), BEAT_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}
