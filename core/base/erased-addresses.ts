import { createHmac } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import type { Deps } from './deps.ts';
import { secretKeyBytes } from './secrets.ts';

/**
 * Replaces the address of a deleted contact: the same for the same address of a project, and impossible to look up without our
 * key.
 */
export function hashOfErased({ config }: Pick<Deps, 'config'>, projectId: ObjectId, email: string): string {
  const [key] = secretKeyBytes(config);
  if (!key) throw new Error('SECRET_KEYS names no key.');
  return createHmac('sha256', key).update(`erased address\u0000${projectId.toHexString()}\u0000${email}`).digest('hex');
}
