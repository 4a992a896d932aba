import { heartbeat } from '@temporalio/activity';

/** Several times within the heartbeat timeout that workflows/activities.ts gives every activity. */
const BEAT_EVERY_MS = 1_000;

/**
 * Sends heartbeats while the work lasts, with what it shows last, for the Web UI. A task that is lost between Temporal and a worker is known
 * by missing ones, long before its time would be over.
 */
export async function beating<T>(work: (show: (details: unknown) => void) => Promise<T>): Promise<T> {
  let shown: unknown;
  const beat = setInterval(() => heartbeat(shown), BEAT_EVERY_MS);
  try {
    return await work((details) => {
      shown = details;
    });
  } finally {
    clearInterval(beat);
  }
}
