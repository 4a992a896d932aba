import { createBatcher } from '../../../base/database/batcher.ts';
import { insertRows } from '../../../base/database/idempotency.ts';
import { isDuplicateKey } from '../../../base/database/idempotent-insert.ts';
import { inTransaction } from '../../../base/database/transactions.ts';
import { oncePerCore } from '../../../base/deps.ts';
import type { IdempotencyRow } from '../../../base/model.ts';
import type { MailDeps } from '../../deps.ts';
import { insertWritten, type Mailing, type Written, wakeLanes, writtenOf } from '../../messages/messages.ts';

interface Once {
  /** Each of them exists once: they are the promise not to queue the same mail again. */
  rows: IdempotencyRow[];
}

type WrittenOnce = Written & Once;

const TOGETHER_MAX = 50;

/**
 * Queues a mailing in the same commit as its idempotency rows, so that a process that ends at any moment has written both or neither.
 * False: some of the rows exist already, and nothing was written.
 */
export function queueOnce(deps: MailDeps, { rows, ...mailing }: Mailing & Once): Promise<boolean> {
  return joiner(deps)({ ...writtenOf(deps, mailing), rows });
}

const joiner = oncePerCore((deps: MailDeps) =>
  createBatcher<WrittenOnce, boolean>((mailings) => storeOnce(deps, mailings), {
    sizeMax: TOGETHER_MAX,
    runsMax: 2,
    callers: 'requests',
  }),
);

async function storeOnce(deps: MailDeps, mailings: WrittenOnce[]): Promise<Array<boolean | Error>> {
  try {
    await store(deps, mailings);
    return mailings.map(() => true);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  if (mailings.length === 1) return [false];
  const stored = mailings.map((mailing) => storeOnce(deps, [mailing]).catch((error: Error) => [error]));
  return (await Promise.all(stored)).flat();
}

async function store(deps: MailDeps, mailings: WrittenOnce[]): Promise<void> {
  const rows = mailings.flatMap((mailing) => mailing.rows);
  await inTransaction(deps, async (session) => {
    await insertRows(deps, rows, session);
    await insertWritten(deps, mailings, session);
  });
  wakeLanes(deps, mailings);
}
