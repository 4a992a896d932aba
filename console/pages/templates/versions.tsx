import type { TemplateVersion } from '../../../client/index.ts';
import { useNames } from '../../parts/choose/names.ts';
import { members } from '../../parts/choose/things.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { State, type Tone } from '../../parts/data/state.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Section } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, to } from '../../router.ts';
import { can, current, session } from '../../session.ts';
import type { Calls, Opened } from './calls.ts';

const LIMIT = 10;

const states: Record<TemplateVersion['state'], { tone: Tone; word: string }> = {
  published: { tone: 'good', word: 'Published' },
  draft: { tone: 'open', word: 'Draft' },
  outdated: { tone: 'warn', word: 'Draft, older than what is published' },
  earlier: { tone: 'idle', word: 'Earlier' },
};

/** The versions with their authors and times; each can be compared with the text of the editor, and become the draft again. */
export function Versions<T extends Opened>({
  calls,
  opened: { newestVersion, publishedVersion, version: open },
  compared,
  onRestore,
}: {
  calls: Calls<T>;
  opened: T;
  /** The version that the page compares with. */
  compared: number | null;
  onRestore: (version: number) => unknown;
}) {
  const page = currentPage();
  const versions = useQuery(
    (signal) => calls.versions({ page, limit: LIMIT }, signal),
    [calls.path, page, newestVersion, publishedVersion],
  );
  const saved = versions.data.value?.versions ?? [];
  const nameOf = useMemberNames(saved.flatMap(({ createdBy, publishedBy }) => [createdBy, publishedBy]));
  const columns: readonly Column<TemplateVersion>[] = [
    {
      key: 'version',
      head: 'Version',
      isMain: true,
      cell: ({ version }) => (
        <a href={to(calls.path, { ...Object.fromEntries(place.value.query), with: version })}>
          {version}
          {version === open && <span class="dim"> in the editor</span>}
        </a>
      ),
    },
    {
      key: 'state',
      head: 'State',
      cell: ({ state }) => <State tone={states[state].tone}>{states[state].word}</State>,
    },
    { key: 'who', head: 'Saved by', cell: ({ createdBy }) => nameOf(createdBy), isCut: true },
    { key: 'when', head: 'Saved', isDim: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      key: 'published',
      head: 'Published',
      isDim: true,
      cell: ({ publishedAt, publishedBy }) =>
        publishedAt && (
          <span>
            <Time at={publishedAt} /> by {nameOf(publishedBy)}
          </span>
        ),
    },
    {
      key: 'acts',
      head: '',
      cell: ({ version }) =>
        version !== open && (
          <Button
            isSmall
            operation={`${calls.room}.restore`}
            label={`Restore version ${version}`}
            onClick={() => onRestore(version)}
          >
            Restore
          </Button>
        ),
    },
  ];
  return (
    <Section title="Versions" note="the last 100 are kept; choose one to compare it with the editor" hasRule>
      <LoadedTable query={versions}>
        <Table
          label="Versions"
          columns={columns}
          rows={versions.data.value?.versions ?? null}
          keyOf={({ version }) => String(version)}
          current={compared === null ? null : String(compared)}
          skeletonRows={2}
        />
      </LoadedTable>
      {versions.data.value && versions.data.value.pagination.pages > 1 && (
        <Pager pagination={versions.data.value.pagination} />
      )}
    </Section>
  );
}

/** Owners alone may read who is a member; others see which versions are their own. */
function useMemberNames(ids: readonly (string | null)[]): (id: string | null) => string {
  const own = current.value?.organization.memberId;
  const others = can('members.get') ? ids.filter((id): id is string => id !== null && id !== own) : [];
  const names = useNames(members, others);
  return (id) => {
    if (id === null) return 'a program';
    if (id === own) return session.value?.email ?? 'you';
    return others.includes(id) && names.of(id) !== null ? names.name(id) : 'another member';
  };
}
