import type { Project } from '../../../base/model.ts';
import { builtInGroup } from '../../../consent/suppressions/built-in-groups.ts';
import { liveGroups } from '../../../consent/suppressions/find-groups.ts';
import type { SuppressionGroup } from '../../../consent/suppressions/model.ts';
import type { PeopleDeps } from '../../deps.ts';
import { stateColumn } from './words.ts';

/** The suppression groups of a project, as the cells of a file name them. */
interface GroupDirectory {
  /** Without names the marketing group, which stops mail of every group; a string is the reason why the names are refused. */
  named(names: readonly string[]): SuppressionGroup[] | string;
}

const SHOWN_MAX = 80;

/** Read for each batch, since groups may be deleted during an import. */
export async function groupDirectory(deps: PeopleDeps, project: Pick<Project, '_id'>): Promise<GroupDirectory> {
  const live = await liveGroups(deps, project);
  const marketing = live.find(({ isMarketing }) => isMarketing) ?? (await builtInGroup(deps, project, 'marketing'));
  const byCode = new Map(live.map((group) => [group.groupId, group]));
  const byName = Map.groupBy(live, ({ name }) => plainName(name));
  return {
    named(names) {
      const found = new Set<SuppressionGroup>();
      for (const name of names) {
        const coded = byCode.get(name.toUpperCase());
        const alike = coded ? [coded] : (byName.get(plainName(name)) ?? []);
        const [group] = alike;
        if (!group) return `groups: names no suppression group of this project: ${shown(name)}`;
        if (alike.length > 1) return `groups: is the name of several groups; use the code of one: ${shown(name)}`;
        found.add(group);
      }
      return found.size > 0 ? [...found] : [marketing];
    },
  };
}

/** Returns whether no row of an import can have named a group; false also when that is not known any more. */
export async function importsWithoutGroups(
  { db }: Pick<PeopleDeps, 'db'>,
  { _id: projectId }: Pick<Project, '_id'>,
): Promise<(importId: string) => boolean> {
  const imports = db.imports.find({ projectId, format: 'csv', header: { $ne: null } }, { projection: { header: 1 } });
  const known = new Set<string>();
  for await (const { _id, header } of imports)
    if (!header?.columns.some((column) => stateColumn(column)?.field === 'groups')) known.add(_id.toHexString());
  return (importId) => known.has(importId);
}

function plainName(name: string): string {
  return name.trim().toLowerCase();
}

function shown(name: string): string {
  return name.slice(0, SHOWN_MAX).toWellFormed();
}
