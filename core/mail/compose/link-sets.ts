import { createHash } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import { repeatOnDuplicate } from '../../base/database/idempotent-insert.ts';
import { oncePerCore } from '../../base/deps.ts';
import { derivedId } from '../../base/ids.ts';
import type { Template, WrittenLink } from '../../templates/language/templates.ts';
import type { MailDeps } from '../deps.ts';
import type { LinkSet } from './model.ts';

/** Versions of one content whose links are kept apart; clicks on links of further ones are counted together. */
const SETS_MAX = 500;
const FIRST_AT = new Date(0);

type Of = Pick<LinkSet, 'projectId' | 'automation' | 'templateId'>;
type Links = readonly WrittenLink[];

/** The links of a compiled content by content: a process writes each set once. */
const kept = oncePerCore((_deps: MailDeps) => new WeakMap<Links, Map<string, Promise<ObjectId>>>());

/** Stores which links a mail will have, so that its clicks can be counted by link. null: it has none. */
export async function linkSetOf(deps: MailDeps, of: Of, html: Template | null): Promise<ObjectId | null> {
  if (!html || html.links.length === 0) return null;
  const sets = kept(deps).get(html.links) ?? new Map<string, Promise<ObjectId>>();
  kept(deps).set(html.links, sets);
  const key = placeOf(of).join(' ');
  const known = sets.get(key);
  if (known) return known;
  const stored = store(deps, of, html.links);
  sets.set(key, stored);
  stored.catch(() => sets.delete(key));
  return stored;
}

async function store({ db }: MailDeps, of: Of, links: Links): Promise<ObjectId> {
  const { projectId, automation, templateId } = of;
  const urls = links.map(({ url }) => url);
  const _id = idOf(of, urls);
  if (await db.linkSets.findOne({ _id, projectId }, { projection: { _id: 1 } })) return _id;
  const others = { projectId, templateId: templateId ?? null, 'automation.id': automation?.id ?? null };
  const count = await db.linkSets.countDocuments(others as object, { hint: 'content', limit: SETS_MAX });
  const set = count < SETS_MAX ? { _id, urls } : { _id: idOf(of, []), urls: [] };
  const fields = { ...(automation ? { automation } : {}), ...(templateId ? { templateId } : {}), urls: set.urls };
  await repeatOnDuplicate(() =>
    db.linkSets.updateOne({ _id: set._id, projectId }, { $setOnInsert: fields }, { upsert: true }),
  );
  return set._id;
}

function idOf(of: Of, urls: string[]): ObjectId {
  const hash = createHash('sha256').update(urls.join('\n')).digest('hex');
  return derivedId(FIRST_AT, 'link set', ...placeOf(of), hash);
}

function placeOf({ projectId, automation, templateId }: Of): string[] {
  return [projectId.toHexString(), automation ? `${automation.id} ${automation.stepId}` : '', templateId ?? ''];
}
