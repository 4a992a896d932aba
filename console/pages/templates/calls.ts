import type { MailPart, Template, TemplateVersion } from '../../../client/index.ts';
import { api } from '../../api.ts';
import type { Versioned } from '../../mail-editor/versions/lazy.tsx';
import type { Path } from '../../paths.ts';
import type { Room } from './drafts.tsx';

/** The calls of one template, layout or snippet, which are the same by other names. */
export interface Calls<T> {
  room: Room;
  id: string;
  /** Of its page. */
  path: Path;
  get(query: { version?: string }, signal?: AbortSignal): PromiseLike<T>;
  update(body: object): PromiseLike<T>;
  restore(body: { version: number; newestVersion: number }): PromiseLike<T>;
  publish(version: number): PromiseLike<T>;
  versions(
    query: { page?: number; limit: number },
    signal: AbortSignal,
  ): PromiseLike<{
    versions: TemplateVersion[];
    pagination: { page: number; pages: number; total: number; limit: number };
  }>;
}

/** The answer of those calls: the thing that is open, at one of its versions. */
export type Opened = Pick<
  Template & MailPart,
  | 'emailTemplate'
  | 'builderType'
  | 'editorJson'
  | 'version'
  | 'publishedVersion'
  | 'draftVersion'
  | 'newestVersion'
  | 'isDraftOutdated'
  | 'updatedAt'
>;

export function callsOf<T>(room: Room, id: string, path: Path): Calls<T> {
  const calls = api[room] as typeof api.templates;
  return {
    ...{ room, id, path },
    get: (query, signal) => calls.get(id, query, signal && { signal }) as PromiseLike<unknown> as PromiseLike<T>,
    update: (body) => calls.update(id, body) as PromiseLike<unknown> as PromiseLike<T>,
    restore: (body) => calls.restore(id, body) as PromiseLike<unknown> as PromiseLike<T>,
    publish: (version) => calls.publish(id, { version }) as PromiseLike<unknown> as PromiseLike<T>,
    versions: (query, signal) => calls.versions(id, query, { signal }),
  };
}

/** Content blocks of ours; a caller may keep there what an editor of its own needs. */
export function isOfBlocks({ builderType, editorJson }: Pick<Opened, 'builderType' | 'editorJson'>): boolean {
  return builderType === 'editor' && editorJson?.v === 1;
}

/** The draft; a draft that is older than what is published waits among the versions to be restored. */
export async function toEdit<T extends Opened>(calls: Calls<T>, signal?: AbortSignal): Promise<T> {
  const draft = await calls.get({ version: 'draft' }, signal);
  return draft.isDraftOutdated ? calls.get({}, signal) : draft;
}

/** All that are kept. */
const VERSIONS_MAX = 100;

/** For the mail at each of its versions. */
export function versionedOf<T extends Opened>(
  calls: Calls<T>,
  { newestVersion, version }: T,
  onRestore: (version: number) => unknown,
): Versioned {
  const { room, id } = calls;
  return {
    ...{ key: `${room}/${id}`, newestVersion, version, operation: `${room}.restore`, onRestore },
    list: async (signal) => (await calls.versions({ limit: VERSIONS_MAX }, signal)).versions,
    read: (one, signal) => calls.get({ version: String(one) }, signal),
  };
}
