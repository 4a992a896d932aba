import type { Collection, Document, ObjectId } from 'mongodb';
import { firstIdAt } from '../base/ids.ts';

interface Due {
  /** The date of the job: the last key of an index {...where, projectId, field}. */
  field: string;
  now: Date;
  /** Equalities on the keys before projectId in that index. */
  where?: Document | undefined;
  /** The name of that index, where there are others. */
  hint?: string;
}

/**
 * The projects with documents that are due. With a bound on each key of the index this is a DISTINCT_SCAN, which reads one key per
 * project however many documents are due.
 */
export async function dueProjects<Doc extends Document>(
  collection: Collection<Doc>,
  { field, now, where, hint }: Due,
): Promise<ObjectId[]> {
  const match = { ...where, projectId: { $gte: firstIdAt(0) }, [field]: { $lte: now } };
  const rows = await collection
    .aggregate<{ _id: ObjectId }>([{ $match: match }, { $group: { _id: '$projectId' } }], hint ? { hint } : {})
    .toArray();
  return rows.map(({ _id }) => _id);
}
