import { api } from '../../api.ts';
import { useLive } from '../../live.ts';
import { Mono, Pairs } from '../../parts/data/details.tsx';
import { bytes, count } from '../../parts/data/format.ts';
import { Time } from '../../parts/data/time.tsx';
import { Drawer } from '../../parts/over/drawer.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { NextSteps } from '../../parts/page/next-steps.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { setQuery, to } from '../../router.ts';
import { ImportState } from './state.tsx';

/** One import with its progress, wherever it is in the list: a person's history leads here. */
export function ImportDrawer({ importId }: { importId: string }) {
  const found = useQuery((signal) => api.imports.get(importId, { signal }), [importId]);
  const one = found.data.value;
  useLive(
    ['import.progress'],
    ({ data }) => {
      if (data.id === importId) void found.reload();
    },
    found.reload,
  );
  return (
    <Drawer
      title={one ? (one.fileName ?? 'A file without a name') : 'Import'}
      under={one && <ImportState status={one.status} />}
      onClose={() => setQuery({ import: null }, { push: true })}
    >
      <Loaded query={found}>
        {({ id, status, listIds, sizeBytes, createdAt, completedAt, failureReason, ...counts }) => (
          <div class="stack">
            {failureReason && <p class="t-bad">{failureReason}</p>}
            <Pairs
              pairs={[
                ['Size', bytes(sizeBytes)],
                ['Rows', count(counts.processed)],
                ['Added', count(counts.created)],
                ['Changed', count(counts.updated)],
                ['As before', count(counts.unchanged)],
                ['Refused', count(counts.failed)],
                ['Suppressed by the file', count(counts.suppressed)],
                ['Taken', <Time key="taken" at={createdAt} />],
                ...(completedAt ? [['Done', <Time key="done" at={completedAt} />] as const] : []),
                ['Id', <Mono key="id" text={id} what="the id" />],
              ]}
            />
            {status.startsWith('completed') && <AfterImport listId={listIds[0] ?? null} />}
          </div>
        )}
      </Loaded>
    </Drawer>
  );
}

/** To the people, and to a mail for them; of several lists the first. */
function AfterImport({ listId }: { listId: string | null }) {
  return (
    <NextSteps
      steps={[
        { label: 'See the people', href: to('/contacts', { list: listId }) },
        {
          label: listId ? 'New campaign for this list' : 'New campaign',
          href: to('/campaigns/new', { list: listId }),
          operation: 'campaigns.create',
        },
      ]}
    />
  );
}
