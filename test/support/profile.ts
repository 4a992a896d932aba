import type { Document } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';

const PROFILE_BYTES = 200_000_000;
/** The `appName` of connections whose operations are left out. */
export const ASIDE = 'aside';

/** The operations of this database while the work is done, each with its plan, as MongoDB writes them down. */
export async function profiled({ mongo, config }: Deps, work: () => Promise<unknown>): Promise<Document[]> {
  const db = mongo.db(config.mongodbDatabase);
  await db.dropCollection('system.profile');
  await db.createCollection('system.profile', { capped: true, size: PROFILE_BYTES });
  await db.command({ profile: 2 });
  await work().finally(() => db.command({ profile: 0 }));
  return db
    .collection('system.profile')
    .find({ appName: { $ne: ASIDE } })
    .toArray();
}
