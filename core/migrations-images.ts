import { createHash } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import type { Deps } from './deps.ts';
import { imageTypeOf } from './rules/migrations-images.ts';
import { fetchableUrl, imageUrls, replaceUrls } from './rules/migrations-templates.ts';

export interface Rehosted {
  html: string;
  images: number;
  /** Pictures that stayed where they are, and why. */
  notes: string[];
}

/** Pictures that the source hosts are kept here, for they go when the account there is closed. One that cannot be had stays as it is. */
export async function rehostImages(
  deps: Deps,
  { projectId, html, signal }: { projectId: ObjectId; html: string; signal?: AbortSignal | undefined },
): Promise<Rehosted> {
  const replacements = new Map<string, string>();
  const notes: string[] = [];
  for (const url of imageUrls(html, deps.config.providerAImageHosts)) {
    const kept = await keepImage(deps, projectId, fetchableUrl(url), signal);
    if (kept.ok) replacements.set(url, kept.url);
    else notes.push(`the picture ${url.slice(0, 200)} stays where it is: ${kept.message}`);
  }
  return { html: replaceUrls(html, replacements), images: replacements.size, notes };
}

type Kept = { ok: true; url: string } | { ok: false; message: string };

/** The name is a hash of project and content: the same picture is kept once, and nobody can guess another project's. */
async function keepImage(deps: Deps, projectId: ObjectId, url: string, signal?: AbortSignal): Promise<Kept> {
  const bytes = await deps.sources.fetchImage(url, signal);
  if (!bytes) return { ok: false, message: 'it could not be fetched' };
  const type = imageTypeOf(bytes);
  if (!type) return { ok: false, message: 'it is no PNG, JPEG, GIF or WebP picture of a believable size' };
  const hash = createHash('sha256').update(projectId.toHexString()).update(bytes).digest('hex');
  const name = `${hash}.${type.ending}`;
  try {
    await deps.media.save(name, bytes);
  } catch (error) {
    deps.log.error({ err: error }, 'a picture could not be stored');
    return { ok: false, message: 'it could not be stored here' };
  }
  return { ok: true, url: `${deps.config.publicUrl}/media/${name}` };
}
