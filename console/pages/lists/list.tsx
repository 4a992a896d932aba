import { useSignal } from '@preact/signals';
import type { ContactList } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Pairs } from '../../parts/data/details.tsx';
import { count, people } from '../../parts/data/format.ts';
import { Badge } from '../../parts/data/state.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Page, Section } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, to } from '../../router.ts';
import { beginningOf, isAsked } from './from-campaign.ts';
import { ListDialog } from './list-dialog.tsx';
import { SegmentEditor } from './segment-editor.tsx';

/** One list, or the filter of one segment; `/lists/new` makes a segment. */
export default function ListPage({ params }: { params: Record<string, string> }) {
  const id = params.listId ?? null;
  const list = useQuery(async (signal) => (id ? await api.contactLists.get(id, { signal }) : null), [id]);
  if (id === null) return <NewSegment />;
  const found = list.data.value;
  const save = (next: ContactList) => {
    list.data.value = next;
  };
  if (found?.type === 'segment') return <SegmentEditor key={id} segment={found} onSaved={save} />;
  return found ? (
    <ListFacts list={found} onSaved={save} />
  ) : (
    <Page title="List" crumb={{ label: 'Lists and segments', path: '/lists' }}>
      <Loaded query={list}>{() => null}</Loaded>
    </Page>
  );
}

/** Empty, or with the people of a campaign that the address names. */
function NewSegment() {
  const { query } = place.value;
  const campaignId = query.get('campaign');
  const did = query.get('did');
  const beginning = useQuery(
    async (signal) =>
      campaignId && isAsked(did) ? beginningOf(await api.campaigns.get(campaignId, { signal }), did) : false,
    [campaignId, did],
  );
  const crumb = { label: 'Lists and segments', path: '/lists' } as const;
  if (beginning.data.value === null)
    return (
      <Page title="New segment" crumb={crumb}>
        <Loaded query={beginning}>{() => null}</Loaded>
      </Page>
    );
  return (
    <SegmentEditor
      key={`${campaignId} ${did}`}
      segment={null}
      beginning={beginning.data.value || undefined}
      onSaved={() => {}}
    />
  );
}

function ListFacts({ list, onSaved }: { list: ContactList; onSaved: (list: ContactList) => void }) {
  const isChanging = useSignal(false);
  return (
    <Page
      title={list.name}
      crumb={{ label: 'Lists and segments', path: '/lists' }}
      state={<Badge>List</Badge>}
      actions={
        <>
          <Button icon="import" href={to('/imports', { list: list.id })}>
            Import into it
          </Button>
          <Button
            operation="contactLists.update"
            onClick={() => {
              isChanging.value = true;
            }}
          >
            Change
          </Button>
          <Button kind="first" icon="contacts" href={to('/contacts', { list: list.id })}>
            {people(list.contactCount)}
          </Button>
        </>
      }
    >
      <Section title="About it">
        <Pairs
          pairs={[
            ['People', count(list.contactCount)],
            ['Description', list.description || <span class="dim">none</span>],
            ['On the preference page', list.isPublic ? 'Yes' : 'No'],
            ['Made', <Time key="made" at={list.createdAt} />],
          ]}
        />
      </Section>
      {isChanging.value && (
        <ListDialog
          list={list}
          onDone={onSaved}
          onClose={() => {
            isChanging.value = false;
          }}
        />
      )}
    </Page>
  );
}
