import type { DrillContext } from '../../rig/context.ts';

/** Bytes that the database takes on disk, and documents that mongod has written. */
export interface Written {
  bytes: number;
  documents: number;
}

/** After a flush, else the size on disk is of the last checkpoint. */
export async function writtenBy({ deps }: DrillContext): Promise<Written> {
  const admin = deps.mongo.db('admin');
  await admin.command({ fsync: 1 });
  const { storageSize, indexSize } = await deps.mongo.db(deps.config.mongodbDatabase).stats();
  const { metrics } = await admin.command({ serverStatus: 1 });
  const { inserted, updated, deleted } = metrics.document;
  return {
    bytes: Number(storageSize) + Number(indexSize),
    documents: Number(inserted) + Number(updated) + Number(deleted),
  };
}

export function writtenEach(before: Written, after: Written, count: number): Written {
  return { bytes: (after.bytes - before.bytes) / count, documents: (after.documents - before.documents) / count };
}
