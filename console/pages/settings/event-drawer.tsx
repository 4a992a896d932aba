import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { EventDefinition, NewestEventRecord } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { useLive } from '../../live.ts';
import { Code, Pairs } from '../../parts/data/details.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { Choose } from '../../parts/forms/choices.tsx';
import { confirm } from '../../parts/over/confirm.tsx';
import { Drawer } from '../../parts/over/drawer.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { Loaded, LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { setQuery, to } from '../../router.ts';
import { typeWords } from '../contacts/field-names.ts';
import { curlOf, typescriptOf } from './event-calls.ts';

const LIMIT = 10;
/** Events that come together are loaded once. */
const TOGETHER_MS = 500;

/** One event: its properties, how a program sends it, and the last ones as they come. */
export function EventDrawer({
  eventId,
  onChange,
  onGone,
}: {
  eventId: string;
  onChange: (event: EventDefinition) => void;
  onGone: () => unknown;
}) {
  const event = useQuery((signal) => api.events.get(eventId, { signal }), [eventId]);
  const close = () => setQuery({ event: null }, { push: true });

  async function remove({ id, eventName }: EventDefinition): Promise<void> {
    const done = await confirm({
      title: `Delete ${eventName}`,
      text: 'Programs that send it are refused. Events that were recorded stay with their contacts.',
      action: 'Delete event',
      isDangerous: true,
      run: () => api.events.delete(id),
    });
    if (!done) return;
    close();
    toast(`Deleted ${eventName}`);
    await onGone();
  }
  return (
    <Drawer title={event.data.value?.eventName ?? 'Event'} onClose={close}>
      <Loaded query={event}>
        {(one) => (
          <div class="stack">
            <div class="row wrap">
              <Button operation="events.update" onClick={() => onChange(one)}>
                Change
              </Button>
              <Button kind="danger" operation="events.delete" onClick={() => remove(one)}>
                Delete…
              </Button>
            </div>
            {one.description && <p class="sub">{one.description}</p>}
            <h3>Properties</h3>
            {one.properties.length === 0 ? (
              <p class="dim">None: a call that has some is refused.</p>
            ) : (
              <Pairs pairs={one.properties.map(({ propertyName, type }) => [propertyName, typeWords[type]])} />
            )}
            <SampleCall event={one} />
            <Newest event={one} />
          </div>
        )}
      </Loaded>
    </Drawer>
  );
}

function SampleCall({ event }: { event: EventDefinition }) {
  const language = useSignal('curl');
  const text = (language.value === 'curl' ? curlOf : typescriptOf)(event, location.origin);
  return (
    <div class="stack tight">
      <h3>How a program sends it</h3>
      <Choose
        label="Language"
        value={language.value}
        options={[
          { value: 'curl', label: 'curl' },
          { value: 'typescript', label: 'TypeScript' },
        ]}
        onChange={(value) => {
          language.value = value;
        }}
      />
      <Code text={text} label="A call that sends the event" what="the call" />
      <p class="hint">
        EVERPOST_API_KEY is a key that may do everything of the project:{' '}
        <a class="link" href={to('/keys')}>
          Keys
        </a>
        .
      </p>
    </div>
  );
}

const columns: readonly Column<NewestEventRecord>[] = [
  {
    key: 'who',
    head: 'Contact',
    isMain: true,
    isCut: true,
    cell: ({ contactId, email }) =>
      email ? <a href={to('/contacts', { person: contactId })}>{email}</a> : <span class="dim">Deleted contact</span>,
  },
  {
    key: 'values',
    head: 'Properties',
    isCut: true,
    isMono: true,
    cell: ({ properties }) =>
      Object.entries(properties)
        .map(([name, value]) => `${name}: ${value}`)
        .join(', '),
  },
  { key: 'at', head: 'At', isNum: true, isDim: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

function Newest({ event: { id, eventName } }: { event: EventDefinition }) {
  const newest = useQuery((signal) => api.events.records(id, { limit: LIMIT }, { signal }), [id]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLive(
    ['event.recorded'],
    ({ data }) => {
      if (data.eventName !== eventName) return;
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        void newest.reload();
      }, TOGETHER_MS);
    },
    newest.reload,
  );
  return (
    <div class="stack tight">
      <h3>The last ten, as they come</h3>
      <LoadedTable query={newest}>
        <Table
          label="The last ten"
          columns={columns}
          rows={newest.data.value?.records ?? null}
          keyOf={(record) => record.id}
          skeletonRows={3}
          empty={<Empty title="None so far">Send one, and it appears here.</Empty>}
        />
      </LoadedTable>
    </div>
  );
}
