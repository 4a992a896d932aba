import { noteFirst } from '../../jobs/upkeep.ts';
import type { MailDeps } from '../deps.ts';

/** To be raised when processes of two versions could not share a ledger. 2: the recipients of a campaign are in blocks. */
const LEDGER_VERSION = 2;
const KEY = 'ledger';

/** A sentence when the ledger of the database is of another version than this process; null when both agree. */
export async function ledgerFault({ db }: Pick<MailDeps, 'db'>): Promise<string | null> {
  await noteFirst({ db }, KEY, { version: LEDGER_VERSION });
  const version = (await db.upkeep.findOne({ _id: KEY }))?.version;
  if (version === LEDGER_VERSION) return null;
  return `The ledger in this database is of version ${version}, and this process needs version ${LEDGER_VERSION}: two versions must not send from one ledger.`;
}
