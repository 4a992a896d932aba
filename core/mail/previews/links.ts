import { ObjectId } from 'mongodb';
import type { Project } from '../../base/model.ts';
import { openSecret, sealSecret, secretKeyNames } from '../../base/secrets.ts';
import { type PreviewRef, previewToken, readPreviewToken } from '../compose/tokens.ts';
import type { MailDeps } from '../deps.ts';

const PREVIEW_SECONDS = 600;
/** Without one a person asks for the preview again. */
const DRAFT_CONCERN = { w: 1 } as const;
/** An editor asks for a preview at each pause in typing, and shows the newest. */
const KEPT_MAX = 40;

export interface PreviewLink {
  /** Needs no key. */
  previewUrl: string;
  expiresIn: number;
}

/** The address of a preview of stored mail. */
export function previewLink(
  { config, clock }: Pick<MailDeps, 'config' | 'clock'>,
  ref: Omit<PreviewRef, 'until'>,
): PreviewLink {
  const until = new Date(clock.now().getTime() + PREVIEW_SECONDS * 1_000);
  const token = previewToken(config, { ...ref, until });
  return { previewUrl: `${config.publicUrl}/previews/${token}`, expiresIn: PREVIEW_SECONDS };
}

/** Stores a rendered draft; the oldest ones of the project give way. */
export async function keepDraft(
  deps: Pick<MailDeps, 'db' | 'config' | 'clock'>,
  { _id: projectId }: Pick<Project, '_id'>,
  html: string,
): Promise<PreviewLink> {
  const { db, config, clock } = deps;
  const _id = new ObjectId();
  const expiresAt = new Date(clock.now().getTime() + PREVIEW_SECONDS * 1_000);
  const sealed = sealSecret(config, contextOf(projectId, _id), html);
  const draft = { _id, projectId, html: sealed, expiresAt };
  await Promise.all([db.previews.insertOne(draft, { writeConcern: DRAFT_CONCERN }), dropOldest(deps, projectId)]);
  return previewLink(deps, { projectId, kind: 'draft', id: _id, withPictures: true });
}

async function dropOldest({ db }: Pick<MailDeps, 'db'>, projectId: ObjectId): Promise<void> {
  const kept = { sort: { _id: -1 }, skip: KEPT_MAX, projection: { _id: 1 } } as const;
  const older = await db.previews.find({ projectId }, kept).toArray();
  if (older.length > 0) {
    const ids = { projectId, _id: { $in: older.map(({ _id }) => _id) } };
    await db.previews.deleteMany(ids, { writeConcern: DRAFT_CONCERN });
  }
}

/** null: not one of ours, or too old. */
export function readPreviewLink(
  { config, clock }: Pick<MailDeps, 'config' | 'clock'>,
  token: string,
): PreviewRef | null {
  const ref = readPreviewToken(config, token);
  return ref && ref.until > clock.now() ? ref : null;
}

/** null: newer drafts took its place, or the key that sealed it was taken out. */
export async function openDraft({ db, config }: MailDeps, { projectId, id }: PreviewRef): Promise<string | null> {
  const kept = await db.previews.findOne({ _id: id, projectId });
  if (!kept || !secretKeyNames(config).includes(kept.html.keyId)) return null;
  return openSecret(config, contextOf(projectId, id), kept.html);
}

function contextOf(projectId: ObjectId, id: ObjectId): string[] {
  return ['preview', projectId.toHexString(), id.toHexString()];
}
