import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import { AppError } from '../../base/errors.ts';
import { storePicture } from '../../templates/media/media.ts';
import { isOfBelievableSize, readPicture } from '../../templates/media/pictures.ts';
import type { MigrationsDeps } from '../deps.ts';
import { fetchableUrl, imageUrls } from '../rules/templates.ts';

const IMAGES_MAX = 200;
const URL_SHOWN_MAX = 200;
const STORE_AGAIN_MS = 1_000;

export interface Rehosted {
  /** The URLs of pictures that are now stored here, by their URLs at the source. */
  replacements: Map<string, string>;
  /** Pictures that stay at the source, with the reasons. */
  failures: string[];
}

interface Rehosting {
  projectId: ObjectId;
  html: string;
  /** For all pictures together: once it is used up, each further one gets a single try. */
  patienceMs: number;
  signal?: AbortSignal | undefined;
}

/** Pictures that the source hosts are stored here, because they disappear when the account there is closed. */
export async function rehostImages(
  deps: MigrationsDeps,
  { projectId, html, patienceMs, signal }: Rehosting,
): Promise<Rehosted> {
  const giveUpAt = performance.now() + patienceMs;
  const replacements = new Map<string, string>();
  const failures: string[] = [];
  const urls = imageUrls(html, deps.config.providerAImageHosts);
  for (const url of urls.slice(0, IMAGES_MAX)) {
    const wait = { patienceMs: Math.max(0, giveUpAt - performance.now()), signal };
    const kept = await keepImage(deps, projectId, fetchableUrl(url), wait);
    if (kept.ok) replacements.set(url, kept.url);
    else failures.push(`the picture ${url.slice(0, URL_SHOWN_MAX)} stays where it is: ${kept.message}`);
  }
  const over = urls.length - IMAGES_MAX;
  if (over > 0) failures.push(`${over} pictures stay where they are: only ${IMAGES_MAX} of a template are fetched`);
  return { replacements, failures };
}

type Kept = { ok: true; url: string } | { ok: false; message: string };
type Wait = Pick<Rehosting, 'patienceMs' | 'signal'>;

/** A picture that is cut off at the source is kept as it is there. */
async function keepImage(deps: MigrationsDeps, projectId: ObjectId, url: string, wait: Wait): Promise<Kept> {
  const bytes = await deps.sources.fetchImage(url, wait);
  if (!bytes) return { ok: false, message: 'it could not be fetched' };
  const picture = readPicture(bytes);
  if (!picture || !isOfBelievableSize(picture))
    return { ok: false, message: 'it is no PNG, JPEG, GIF or WebP picture of a believable size' };
  try {
    const giveUpAt = performance.now() + wait.patienceMs;
    const { media } = await whileUnavailable(
      () => storePicture(deps, projectId, { picture, bytes, source: 'migration' }),
      () => performance.now() < giveUpAt && !wait.signal?.aborted,
    );
    return { ok: true, url: `${deps.config.publicUrl}/media/${media.name}` };
  } catch (error) {
    if (error instanceof AppError && error.kind === 'conflict') return { ok: false, message: error.message };
    deps.log.error({ err: error }, 'picture of a migrated template could not be stored');
    return { ok: false, message: 'it could not be stored here' };
  }
}

/** Storing is repeated while the store is down: a template is migrated once, and its pictures may be gone by the next time. */
async function whileUnavailable<T>(store: () => Promise<T>, isPatient: () => boolean): Promise<T> {
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!(error instanceof AppError && error.kind === 'unavailable') || !isPatient()) throw error;
      await sleep(STORE_AGAIN_MS);
    }
  }
}
