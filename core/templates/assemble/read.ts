import { invalid } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { Template } from '../model.ts';
import { snippetsInBlocks } from './blocks.ts';
import { snippetsInCode } from './code.ts';
import { partKey, partNamed, SNIPPET_NAME } from './keys.ts';
import { type Part, type Parts, SNIPPET_DEPTH_MAX, SNIPPETS_MAX } from './parts.ts';

type DbDeps = Pick<TemplatesDeps, 'db'>;
type Stored = Pick<Template, 'templateId' | 'templateName' | 'emailTemplate' | 'writtenCode' | 'text' | 'editorJson'>;

/** A part as it would be published, in the place of the stored one. */
export interface Instead {
  key: string;
  part: Part;
}

/** Published parts by their ids, for many mails that are looked at together: each is read once. undefined: it is missing. */
export type PartsRead = Map<string, Part | undefined>;

interface Named {
  names: readonly string[];
  layoutId: string | null;
  instead?: Instead | undefined;
  read?: PartsRead | undefined;
}

const projection = { templateId: 1, templateName: 1, emailTemplate: 1, writtenCode: 1, text: 1, editorJson: 1 };

/** The layout and the published snippets that a mail names, and those that they name; one that is missing is left out. */
export async function readParts(
  { db }: DbDeps,
  { _id: projectId }: Pick<Project, '_id'>,
  { names, layoutId, instead, read = new Map() }: Named,
): Promise<Omit<Parts, 'brand'>> {
  const found = new Map<string, Part>();
  const layout = layoutId === null ? null : partKey({ kind: 'layout', id: layoutId });
  let keys = [...names.flatMap(keyOf), ...(layout === null ? [] : [layout])];
  for (let depth = 0; keys.length > 0 && depth <= SNIPPET_DEPTH_MAX; depth += 1) {
    const parts = await partsAt({ db }, projectId, keys, read);
    if (instead && keys.includes(instead.key)) parts.set(instead.key, instead.part);
    for (const [key, part] of parts) found.set(key, part);
    if (found.size > SNIPPETS_MAX + 1) throw tooMany();
    keys = [...new Set([...parts.values()].flatMap(namedBy).flatMap(keyOf))].filter((key) => !found.has(key));
  }
  return {
    layout: (layout !== null && found.get(layout)) || null,
    snippets: new Map([...found].flatMap(([key, part]) => (key === layout ? [] : [[partNamed(key)!.id, part]]))),
    keys: [...found.keys()].toSorted(),
  };
}

async function partsAt({ db }: DbDeps, projectId: Project['_id'], keys: readonly string[], read: PartsRead) {
  const parts = new Map(keys.flatMap((key) => (read.get(key) ? [[key, read.get(key)!] as const] : [])));
  const unread = keys.filter((key) => !read.has(key));
  if (unread.length === 0) return parts;
  const named = { projectId, templateId: { $in: unread }, publishedVersion: { $gt: 0 } };
  for (const one of await db.templates.find(named, { projection }).toArray()) parts.set(one.templateId, partOf(one));
  for (const key of unread) read.set(key, parts.get(key));
  return parts;
}

export function partOf({ templateName: name, emailTemplate, writtenCode, text, editorJson }: Stored): Part {
  return typeof text === 'string'
    ? { name, code: null, content: editorJson }
    : { name, code: writtenCode ?? emailTemplate, content: null };
}

function namedBy({ code, content }: Part): string[] {
  return code === null ? snippetsInBlocks(content) : snippetsInCode(code);
}

function keyOf(name: string): string[] {
  return SNIPPET_NAME.test(name) ? [partKey({ kind: 'snippet', id: name })!] : [];
}

function tooMany() {
  const sentence = `names more than ${SNIPPETS_MAX} snippets, with those inside them`;
  return invalid(`The mail ${sentence}.`, `content: ${sentence}`);
}
