import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { MEDIA_BYTES_MAX } from '../../../schemas/templates/media.ts';
import { isDuplicateKey, repeatOnDuplicate } from '../../base/database/idempotent-insert.ts';
import { afterCommit, inTransaction } from '../../base/database/transactions.ts';
import type { CallerDeps } from '../../base/deps.ts';
import { AppError, conflict, invalid, notFound, unavailable } from '../../base/errors.ts';
import { findById } from '../../base/ids.ts';
import { type By, madeBy } from '../../base/maker.ts';
import type { Project } from '../../base/model.ts';
import { type Page, type PageOf, pageOf, READ_TIME_MAX_MS } from '../../base/paging.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import type { TemplatesDeps } from '../deps.ts';
import { versionId } from '../versions.ts';
import type { MediaFile } from './model.ts';
import { isOfBelievableSize, PIXELS_MAX, type Picture, readPicture, SIDE_MAX } from './pictures.ts';
import { finishRemoval, MEDIA_REMOVALS, startRemoval } from './removals.ts';

/** Returns in words what the removal of the picture would break, or null. */
type UseOfPicture = (deps: CallerDeps, picture: Pick<MediaFile, 'projectId' | 'name'>) => Promise<string | null>;

declare module '../../base/deps.ts' {
  interface Subscribers {
    usesOfPicture: readonly UseOfPicture[];
  }
}

/** An upload that takes longer than this was cut off. */
const STORING_MS = 15 * 60_000;
const TRIES_MAX = 5;

type Tenant = Pick<Project, '_id'>;

interface Stored {
  media: MediaFile;
  /** False: the project had the picture already. */
  isNew: boolean;
}

/** Refuses everything but a whole PNG, JPEG, GIF or WebP picture. */
export async function uploadPicture(
  deps: TemplatesDeps,
  project: Tenant,
  bytes: Uint8Array,
  origin: By,
): Promise<Stored> {
  if (bytes.length === 0) throw refused('The file is empty', 'must not be empty');
  const picture = readPicture(bytes);
  if (!picture)
    throw refused('Only PNG, JPEG, GIF and WebP pictures are taken', 'must be a PNG, JPEG, GIF or WebP picture');
  if (!isOfBelievableSize(picture))
    throw refused(
      `A picture has at most ${PIXELS_MAX / 1_000_000} million pixels and ${SIDE_MAX} on each side`,
      `must have at most ${PIXELS_MAX / 1_000_000} million pixels, and ${SIDE_MAX} on each side`,
    );
  if (!picture.isWhole) throw refused('The picture is cut off', 'ends before the picture does');
  return storePicture(deps, project._id, {
    picture,
    bytes,
    source: origin.by ? 'dashboard' : 'api',
    ...madeBy(origin),
  });
}

function refused(message: string, problem: string): AppError {
  return invalid(`${message}.`, `file: ${problem}`);
}

/**
 * The row comes first: after a crash it names the file that has to be removed. Two uploads of the same picture at a time write the same
 * file, and either confirms the row.
 */
export async function storePicture(deps: TemplatesDeps, projectId: ObjectId, given: NewPicture): Promise<Stored> {
  const { bytes } = given;
  const hash = createHash('sha256').update(bytes).digest('hex');
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const known = await deps.db.media.findOne({ projectId, hash });
    if (known?.state === 'stored') return { media: known, isNew: false };
    const row = known ?? (await reserve(deps, newRow(deps, projectId, given, hash)));
    if (!row) continue;
    const media = await write(deps, row, bytes);
    if (media) return { media, isNew: known === null };
  }
  throw unavailable('This picture is being removed; send it again in a moment.');
}

type NewPicture = Pick<MediaFile, 'source' | 'createdBy'> & { picture: Picture; bytes: Uint8Array };

function newRow({ clock }: TemplatesDeps, projectId: ObjectId, given: NewPicture, hash: string): MediaFile {
  const _id = new ObjectId();
  const { picture, bytes, ...made } = given;
  const { ending, width, height } = picture;
  const createdAt = clock.now();
  // The address cannot be worked out from the bytes, so a project cannot find the picture of another one.
  const name = createHash('sha256').update(projectId.id).update(_id.id).update(bytes).digest('hex');
  return {
    ...{ _id, projectId, state: 'storing', hash, name: `${name}.${ending}` },
    ...{ ending, width, height, sizeBytes: bytes.length, ...made, createdAt },
    removeDueAt: new Date(createdAt.getTime() + STORING_MS),
  };
}

/** null: another upload was first. */
async function reserve(deps: TemplatesDeps, row: MediaFile): Promise<MediaFile | null> {
  const { projectId, sizeBytes } = row;
  const usage = { _id: projectId, projectId };
  // Of several first uploads of a project one inserts the document.
  await repeatOnDuplicate(() => deps.db.mediaUsage.updateOne(usage, { $setOnInsert: { bytes: 0 } }, { upsert: true }));
  const fits = { ...usage, bytes: { $lte: MEDIA_BYTES_MAX - sizeBytes }, deletedAt: { $exists: false } };
  try {
    await inTransaction(deps, async (session) => {
      const { matchedCount } = await deps.db.mediaUsage.updateOne(fits, { $inc: { bytes: sizeBytes } }, { session });
      if (matchedCount === 0) throw full();
      await deps.db.media.insertOne(row, { session });
    });
    return row;
  } catch (error) {
    if (isDuplicateKey(error, 'hash')) return null;
    throw error;
  }
}

function full(): AppError {
  return conflict(
    'MEDIA_FULL',
    `The pictures of a project have at most ${MEDIA_BYTES_MAX / 1024 ** 3} GB together; delete some first.`,
    'file: does not fit any more',
  );
}

/** null: the row was removed before the file was there. */
async function write(deps: TemplatesDeps, row: MediaFile, bytes: Uint8Array): Promise<MediaFile | null> {
  const { _id, projectId, name } = row;
  try {
    await deps.media.save(name, bytes);
  } catch (error) {
    // A store that gave no answer may still write the file, so the job removes it later.
    const remove = error instanceof AppError && error.kind === 'unavailable' ? startRemoval : removeNow;
    await remove(deps, row).catch(() => {});
    throw error;
  }
  const media = await deps.db.media.findOneAndUpdate(
    { _id, projectId, state: { $in: ['storing', 'stored'] } },
    { $set: { state: 'stored' }, $unset: { removeDueAt: '' } },
    { returnDocument: 'after' },
  );
  if (!media) await deps.media.remove(name);
  return media;
}

export function listMedia({ db }: TemplatesDeps, project: Tenant, page: Page): Promise<PageOf<MediaFile>> {
  return pageOf(db.media, { projectId: project._id, state: 'stored' }, page, { sort: { _id: -1 } });
}

/** Mail that was sent shows the picture no longer. */
export async function deleteMedia(deps: TemplatesDeps, project: Tenant, mediaId: string): Promise<void> {
  const media = await findById(deps.db.media, project, mediaId, 'MEDIA');
  if (media.state !== 'stored') throw notFound('MEDIA');
  for (const useOf of deps.subscribers.usesOfPicture) {
    const use = await useOf(deps, media);
    if (use) throw conflict('INVALID_STATE', `The picture is used by ${use}; take it out there first.`);
  }
  if (!(await removeNow(deps, media))) throw notFound('MEDIA');
}

/** Returns false when another call has begun to remove it. */
async function removeNow(deps: TemplatesDeps, media: MediaFile): Promise<boolean> {
  if (!(await startRemoval(deps, media))) return false;
  await afterCommit(deps, () => finishRemoval(deps, media), 'a picture is removed later');
  return true;
}

/** For a project that is deleted. An upload that is under way conflicts with the first write, or is found by the second. */
export async function deleteMediaOfProject(deps: TemplatesDeps, projectId: ObjectId): Promise<void> {
  const deletedAt = deps.clock.now();
  const usage = { _id: projectId, projectId };
  await repeatOnDuplicate(() =>
    deps.db.mediaUsage.updateOne(usage, { $set: { bytes: 0, deletedAt } }, { upsert: true }),
  );
  await deps.db.media.updateMany(
    { projectId },
    { $set: { state: 'removing', removeDueAt: deletedAt }, $unset: { hash: '' } },
  );
  wakeQueue(deps, MEDIA_REMOVALS, projectId);
}

export async function templateWithPicture(
  { db }: Pick<TemplatesDeps, 'db'>,
  { projectId, name }: Pick<MediaFile, 'projectId' | 'name'>,
): Promise<string | null> {
  const $regex = namePattern(name);
  const showing = { projectId, $or: [{ emailTemplate: { $regex } }, { 'translations.texts.text': { $regex } }] };
  const named = { projection: { templateName: 1, draftVersion: 1 }, maxTimeMS: READ_TIME_MAX_MS };
  const template = await db.templates.findOne(showing, named);
  if (template) return `the template "${template.templateName}"`;
  const withDraft = await db.templates.find({ projectId, draftVersion: { $gt: 0 } }, named).toArray();
  const drafts = new Map(withDraft.map((one) => [versionId(one, one.draftVersion ?? 0), one]));
  const shown = { ...showing, _id: { $in: [...drafts.keys()] } };
  const draft = await db.templateVersions.findOne(shown, { projection: { _id: 1 }, maxTimeMS: READ_TIME_MAX_MS });
  return draft && `the draft of the template "${drafts.get(draft._id)?.templateName ?? ''}"`;
}

export async function logoWithPicture(
  { db, config }: Pick<TemplatesDeps, 'db' | 'config'>,
  { projectId, name }: Pick<MediaFile, 'projectId' | 'name'>,
): Promise<string | null> {
  const logoUrl = `${config.publicUrl}/media/${name}`;
  return (await db.projects.findOne({ _id: projectId, logoUrl })) && 'the logo of the project';
}

/** For a query: names have no other character that means something in a pattern. */
export function namePattern(name: string): string {
  return name.replace('.', '\\.');
}
