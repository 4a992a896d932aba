import { MongoClient, type ObjectId } from 'mongodb';
import type { Collections } from '../../core/base/collections.ts';
import type { Deps } from '../../core/base/deps.ts';
import { ASIDE } from '../support/profile.ts';

export interface Aside {
  /** For the test's own reads and changes, which are not explained. */
  db: Pick<Collections, 'messages' | 'campaignClaims' | 'contacts' | 'pendingSubscriptions'>;
  /** Of all claims and claimed messages of the project. */
  endLeases(projectId: ObjectId, endedMs?: number): Promise<void>;
  /** Deferred mail. */
  makeDue(projectId: ObjectId): Promise<void>;
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;

/** A second connection to the database. */
export async function openAside({ config }: Deps): Promise<Aside> {
  const mongo = new MongoClient(config.mongodbUrl, { appName: ASIDE });
  const of = mongo.db(config.mongodbDatabase);
  const db: Aside['db'] = {
    messages: of.collection('messages'),
    campaignClaims: of.collection('campaignClaims'),
    contacts: of.collection('contacts'),
    pendingSubscriptions: of.collection('pendingSubscriptions'),
  };
  return {
    db,
    async endLeases(projectId, endedMs = HOUR_MS) {
      const ago = { $dateSubtract: { startDate: '$$NOW', unit: 'millisecond', amount: endedMs } } as const;
      await db.campaignClaims.updateMany({ projectId, leaseUntil: { $exists: true } }, [{ $set: { leaseUntil: ago } }]);
      await db.messages.updateMany({ projectId, state: 'committing' }, [{ $set: { dueAt: ago } }]);
    },
    async makeDue(projectId) {
      await db.messages.updateMany({ projectId, state: 'deferred' }, [{ $set: { dueAt: '$$NOW' } }]);
    },
    close: () => mongo.close(),
  };
}
