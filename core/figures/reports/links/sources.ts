import type { ObjectId } from 'mongodb';
import { oncePerCore } from '../../../base/deps.ts';
import { distinctIds } from '../../../base/ids.ts';
import type { Session } from '../../../base/model.ts';
import { BoundedMap } from '../../../base/work/cache.ts';
import { compiled } from '../../../templates/cache.ts';
import type { WrittenLink } from '../../../templates/language/templates.ts';
import type { FiguresDeps } from '../../deps.ts';
import type { OriginRow } from '../counting/count-rows.ts';
import type { LinkSource } from '../model.ts';
import { automationSource, campaignSource } from '../parts.ts';

export type LinkDeps = Pick<FiguresDeps, 'db' | 'state'>;

const KEPT_MAX = 200;
const kept = oncePerCore((_deps: LinkDeps) => new BoundedMap<string, readonly WrittenLink[]>(KEPT_MAX));

export function templateSource(templateId: string): string {
  return `template:${templateId}`;
}

/** Of a mail without template, automation and campaign there are none. */
export async function linkSourcesOf(
  deps: LinkDeps,
  projectId: ObjectId,
  rows: readonly OriginRow[],
  session?: Session,
): Promise<(row: OriginRow) => LinkSource[]> {
  const campaigns = await ofCampaigns(
    deps,
    projectId,
    distinctIds(rows.flatMap(({ campaignId }) => campaignId ?? [])),
    session,
  );
  const sets = await ofSets(deps, projectId, distinctIds(rows.flatMap(({ linkSetId }) => linkSetId ?? [])), session);
  return ({ campaignId, linkSetId }) => campaigns.get(String(campaignId)) ?? sets.get(String(linkSetId)) ?? [];
}

async function ofCampaigns(deps: LinkDeps, projectId: ObjectId, ids: ObjectId[], session?: Session) {
  const found = new Map<string, LinkSource[]>();
  if (ids.length === 0) return found;
  const options = session ? { session } : {};
  const some = { _id: { $in: ids }, projectId };
  const campaigns = await deps.db.campaigns.find(some, { ...options, projection: { templateId: 1 } }).toArray();
  for (const { _id, templateId } of campaigns) {
    const written = (await campaignLinks(deps, projectId, _id, session)).map(({ url }) => url);
    const sources = [campaignSource(_id), ...(templateId ? [templateSource(templateId)] : [])];
    found.set(
      _id.toHexString(),
      sources.map((source) => ({ source, step: null, written })),
    );
  }
  // Those of deleted campaigns are not read, but lose the addresses of erased people too.
  for (const id of ids.filter((one) => !found.has(one.toHexString())))
    found.set(id.toHexString(), [{ source: campaignSource(id), step: null, written: [] }]);
  return found;
}

/** Empty before the campaign begins. */
export async function campaignLinks(
  deps: LinkDeps,
  projectId: ObjectId,
  _id: ObjectId,
  session?: Session,
): Promise<readonly WrittenLink[]> {
  const options = session ? { session } : {};
  const of = { _id, projectId };
  const head = await deps.db.campaignContents.findOne(of, { ...options, projection: { frozenAt: 1 } });
  if (!head) return [];
  const key = `${_id.toHexString()} ${head.frozenAt.getTime()}`;
  const known = kept(deps).get(key);
  if (known) return known;
  const content = await deps.db.campaignContents.findOne(of, { ...options, projection: { html: 1 } });
  const links = content ? compiled(content.html, 'html', 'htmlTemplate').links : [];
  kept(deps).set(key, links);
  return links;
}

async function ofSets({ db }: LinkDeps, projectId: ObjectId, ids: ObjectId[], session?: Session) {
  const found = new Map<string, LinkSource[]>();
  if (ids.length === 0) return found;
  const sets = db.linkSets.find({ _id: { $in: ids }, projectId }, session ? { session } : {});
  for await (const { _id, automation, templateId, urls: written } of sets)
    found.set(_id.toHexString(), [
      ...(automation ? [{ source: automationSource(automation.id), step: automation.stepId, written }] : []),
      ...(templateId ? [{ source: templateSource(templateId), step: null, written }] : []),
    ]);
  return found;
}
