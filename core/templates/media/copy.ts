import { createHash } from 'node:crypto';
import { batchesById } from '../../base/database/batches.ts';
import type { Media } from '../../base/deps.ts';
import { heldElsewhere } from '../../base/held-bytes.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { MediaFile } from './model.ts';

const AT_ONCE = 4;

export interface Copied {
  /** Were not in the new store, or damaged there, and are whole there now. */
  copied: number;
  /** Were in the new store already, whole. */
  present: number;
  /** Are in the old store no longer, or damaged there. */
  lost: number;
}

interface Copying {
  from: Media;
  to: Media;
  onProgress(sum: Copied): void;
  onLost(picture: Pick<MediaFile, '_id' | 'projectId' | 'name'>): void;
}

/**
 * Brings every picture of every project to another store, and reads each there. A repeat copies what the time before did not: it is safe
 * to end the process at any time. A store that fails ends it.
 */
export async function copyMedia(deps: TemplatesDeps, { from, to, onProgress, onLost }: Copying): Promise<Copied> {
  const sum: Copied = { copied: 0, present: 0, lost: 0 };
  for await (const { _id: projectId } of deps.db.projects.find({}, { projection: { _id: 1 } })) {
    for await (const batch of batchesById(deps.db.media, { projectId, state: 'stored' }, { size: AT_ONCE })) {
      const ends = await Promise.all(batch.map((picture) => copyOne(deps, picture, from, to)));
      for (const [index, end] of ends.entries()) {
        if (end) sum[end] += 1;
        if (end === 'lost') onLost(batch[index] as MediaFile);
      }
      onProgress(sum);
    }
  }
  return sum;
}

/** null: the picture was deleted in between. */
async function copyOne(deps: TemplatesDeps, picture: MediaFile, from: Media, to: Media): Promise<keyof Copied | null> {
  const { name, hash } = picture;
  if (hashOf(await to.read(name, heldElsewhere)) === hash) return 'present';
  const bytes = await from.read(name, heldElsewhere);
  if (bytes === null || hashOf(bytes) !== hash) return (await isStored(deps, picture)) ? 'lost' : null;
  await to.save(name, bytes);
  if (hashOf(await to.read(name, heldElsewhere)) !== hash)
    throw new Error(`the new store returns other bytes for ${name}`);
  if (await isStored(deps, picture)) return 'copied';
  // Its removal may have come before the copy, and finds nothing there any more.
  await to.remove(name);
  return null;
}

async function isStored({ db }: TemplatesDeps, { _id, projectId }: MediaFile): Promise<boolean> {
  return (await db.media.findOne({ _id, projectId, state: 'stored' }, { projection: { _id: 1 } })) !== null;
}

function hashOf(bytes: Uint8Array | null): string | null {
  return bytes && createHash('sha256').update(bytes).digest('hex');
}

const PROBE_BYTES = 64 * 1024;

/** The first call that a store does not do as it must. */
interface StoreFault {
  step: string;
  error?: unknown;
}

/** Writes, reads and deletes an object of that name; null: the store works. */
export async function checkStore(media: Media, name: string): Promise<StoreFault | null> {
  const bytes = Buffer.alloc(PROBE_BYTES, name);
  const readsAs = async (hash: string | null) => hashOf(await media.read(name, heldElsewhere)) === hash;
  const steps: Array<[string, () => Promise<unknown>]> = [
    ['reading an object that does not exist', () => readsAs(null)],
    ['writing an object', () => media.save(name, bytes)],
    ['reading it', () => readsAs(hashOf(bytes))],
    ['deleting it', () => media.remove(name)],
    ['reading it after that', () => readsAs(null)],
  ];
  for (const [step, run] of steps) {
    try {
      if ((await run()) === false) return { step };
    } catch (error) {
      return { step, error };
    }
  }
  return null;
}
