import type { Collection, Document, ObjectId } from 'mongodb';
import type { StartKind } from '../../jobs/model.ts';
import type { FiguresDeps } from '../deps.ts';

/** More are not counted. */
const COUNTED_MAX = 10_000;

export interface WaitingJobs {
  name: string;
  /** Jobs of the project that are due. */
  waiting: number;
  isExact: boolean;
  oldestSeconds: number | null;
}

interface Queue {
  name: string;
  collection: Collection<Document>;
  /** Equalities on the keys before projectId in the index. */
  where: Document;
  /** The date of the job, the last key of the index. */
  field: string;
  hint: string;
}

/** The queues of a project, each counted by the index that its scheduler reads. */
export function waitingJobs(
  { db, clock }: Pick<FiguresDeps, 'db' | 'clock'>,
  projectId: ObjectId,
): Promise<WaitingJobs[]> {
  const now = clock.now();
  return Promise.all(
    queuesOf(db).map(async ({ name, collection, where, field, hint }) => {
      const due = { ...where, projectId, [field]: { $lte: now } };
      const [waiting, first] = await Promise.all([
        collection.countDocuments(due, { limit: COUNTED_MAX, hint }),
        collection.findOne(due, { projection: { [field]: 1 }, sort: { [field]: 1 }, hint }),
      ]);
      const oldestSeconds = first ? Math.round((now.getTime() - (first[field] as Date).getTime()) / 1_000) : null;
      return { name, waiting, isExact: waiting < COUNTED_MAX, oldestSeconds };
    }),
  );
}

function queuesOf(db: FiguresDeps['db']): Queue[] {
  const queue = (name: string, collection: unknown, field = 'dueAt', hint = 'due'): Queue => ({
    ...{ name, collection: collection as Collection<Document>, where: {}, field, hint },
  });
  const starts = (name: string, kind: StartKind): Queue => ({ ...queue(name, db.starts), where: { kind } });
  return [
    starts('campaign starts', 'campaign'),
    queue('automation triggers', db.triggers),
    queue('automation events', db.events),
    queue('enrollments', db.enrollments),
    starts('imports', 'import'),
    starts('segments', 'segment'),
    queue('behaviour', db.notedFacts),
    starts('migrations', 'migration'),
    starts('domain checks', 'domain'),
    queue('webhook deliveries', db.webhookDeliveries),
    queue('series of mails', db.messages, 'countDueAt', 'counted'),
    queue('series of opens and clicks', db.engagements, 'countDueAt', 'counted'),
    queue('series of campaigns', db.campaignClaims, 'countDueAt', 'counted'),
  ];
}
