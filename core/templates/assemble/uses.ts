import { conflict } from '../../base/errors.ts';
import type { Session } from '../../base/model.ts';
import { READ_TIME_MAX_MS } from '../../base/paging.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { Template, TemplateContent } from '../model.ts';
import { partNamed } from './keys.ts';

type Parted = Pick<TemplateContent, 'parts' | 'translations'>;

/** The parts of what a template has published, and of its draft. */
export function usesOf(shown: Parted, draft: Parted | null = null): string[] {
  return [...new Set([...partsOfAll(shown), ...partsOfAll(draft ?? {})])].toSorted();
}

/** In all languages. */
export function partsOfAll({ parts = [], translations = [] }: Parted): string[] {
  return [...parts, ...translations.flatMap((one) => one.parts ?? [])];
}

/**
 * Runs in the transaction that stores the uses. The write makes it conflict with a deletion of a part: of the two, the later one is
 * repeated and sees the other.
 */
export async function referToParts(
  { db }: Pick<TemplatesDeps, 'db'>,
  session: Session,
  { projectId, uses: known = [] }: Pick<Template, 'projectId' | 'uses'>,
  uses: readonly string[] | undefined,
): Promise<void> {
  const added = (uses ?? []).filter((key) => !known.includes(key));
  if (added.length === 0) return;
  const named = { projectId, templateId: { $in: added } };
  const { matchedCount } = await db.templates.updateMany(named, { $inc: { references: 1 } }, { session });
  if (matchedCount === added.length) return;
  throw conflict(
    'INVALID_STATE',
    'A layout or snippet was deleted meanwhile. Look at what there is, and repeat the call.',
  );
}

export interface UsersOfPart {
  users: Array<Pick<Template, 'templateId' | 'templateName'>>;
  total: number;
}

/** As many a caller sees, the newest first. */
const SHOWN_MAX = 100;

export async function usersOf(
  { db }: Pick<TemplatesDeps, 'db'>,
  { projectId, templateId }: Pick<Template, 'projectId' | 'templateId'>,
  session?: Session,
): Promise<UsersOfPart> {
  const using = { projectId, uses: templateId };
  const reading = { maxTimeMS: READ_TIME_MAX_MS, hint: 'uses', ...(session ? { session } : {}) };
  const projection = { templateId: 1, templateName: 1 };
  const users = await db.templates
    .find(using, { ...reading, projection, sort: { _id: -1 }, limit: SHOWN_MAX })
    .toArray();
  const total = users.length < SHOWN_MAX ? users.length : await db.templates.countDocuments(using, reading);
  return { users, total };
}

/** In the transaction of its deletion. */
export async function refuseUsedPart(
  deps: Pick<TemplatesDeps, 'db'>,
  session: Session,
  part: Pick<Template, 'projectId' | 'templateId'>,
): Promise<void> {
  const { kind } = partNamed(part.templateId) ?? {};
  if (!kind) return;
  const { users, total } = await usersOf(deps, part, session);
  if (total === 0) return;
  const names = users.slice(0, 5).map(({ templateId, templateName }) => `${nounOf(templateId)} "${templateName}"`);
  const rest = total > names.length ? ` and ${total - names.length} more` : '';
  throw conflict('INVALID_STATE', `The ${kind} is used by ${names.join(', ')}${rest}; take it out there first.`);
}

export function nounOf(templateId: string): string {
  return partNamed(templateId)?.kind ?? 'template';
}
