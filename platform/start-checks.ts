import { findUnnamedKeys } from '../core/accounts/stored-secrets.ts';
import type { Deps } from '../core/base/deps.ts';
import { SecretError } from '../core/base/secrets.ts';
import { ledgerFault } from '../core/mail/ledger/version.ts';
import { ConfigError } from './config.ts';
import { missingUniqueIndexes } from './mongo/indexes.ts';

const AGAIN_MS = 5_000;

/**
 * Refuses to start without a unique index, when stored secrets cannot be opened, since mail of such a domain would be deferred for ever,
 * and with a ledger of another version. While MongoDB does not answer, the process starts and the check is repeated, and a failed check ends the process then.
 */
export async function refuseUnfit(deps: Deps): Promise<void> {
  const fault = await faultOf(deps).catch((error: Error) => {
    if (error instanceof SecretError) return error.message;
    setTimeout(() => refuseUnfit(deps).catch(endProcess), AGAIN_MS).unref();
    return null;
  });
  if (fault) throw new ConfigError(fault);
}

async function faultOf(deps: Deps): Promise<string | null> {
  const missing = await missingUniqueIndexes(deps.db);
  if (missing.length > 0)
    return `The database lacks the unique indexes ${missing.join(', ')}; make them with: npm run admin -- indexes`;
  return (await ledgerFault(deps)) ?? (await findUnnamedKeys(deps));
}

function endProcess({ message }: Error): never {
  console.error(message);
  process.exit(1);
}
