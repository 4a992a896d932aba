import { useSignal } from '@preact/signals';
import type { Contact } from '../../../client/index.ts';
import { useAct } from '../../acts.ts';
import { api } from '../../api.ts';
import { Chooser } from '../../parts/choose/chooser.tsx';
import { useNames } from '../../parts/choose/names.ts';
import { lists } from '../../parts/choose/things.ts';
import { count, counted, people } from '../../parts/data/format.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { save } from '../../parts/forms/download.ts';
import { SearchBox } from '../../parts/forms/search-box.tsx';
import { confirm } from '../../parts/over/confirm.tsx';
import { Split } from '../../parts/over/drawer.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Page, Tools } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, setQuery, to } from '../../router.ts';
import { AddToListDialog } from './add-to-list.tsx';
import { ContactDialog } from './contact-dialog.tsx';
import { ContactDrawer } from './drawer.tsx';

const LIMIT = 50;
const EVERYBODY = '';

type Row = Pick<Contact, 'id' | 'email' | 'firstName' | 'lastName' | 'createdAt' | 'updatedAt'>;

/** Everybody, or the members of a list: found by a part of the address, opened, chosen for a change. */
export default function Contacts() {
  const { query } = place.value;
  const search = query.get('search') ?? '';
  const listId = query.get('list') ?? EVERYBODY;
  const openId = query.get('person');
  const page = currentPage();
  const names = useNames(lists, [listId]);
  const isAdding = useSignal(false);
  useAct('contacts.create', () => {
    isAdding.value = true;
  });
  const isJoining = useSignal(false);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const contacts = useQuery(
    async (signal) => ({
      listId,
      ...(await (listId === EVERYBODY
        ? api.contacts.list({ page, limit: LIMIT, ...(search && { search }) }, { signal })
        : api.contactLists.searchContacts(
            { contactListId: listId, page, limit: LIMIT, ...(search && { email: search }) },
            { signal },
          ))),
    }),
    [search, listId, page],
  );
  const rows: readonly Row[] | null = contacts.data.value?.contacts ?? null;
  // Until another list is loaded the table has the people of the one before.
  const isOfList = contacts.data.value?.listId === listId;
  const ticked = isOfList && rows ? rows.filter(({ id }) => chosen.value.has(id)) : [];
  const clear = () => {
    chosen.value = new Set();
  };

  async function remove(some: readonly Row[]): Promise<void> {
    const done = await confirm({
      title: some.length === 1 ? `Delete ${some[0]?.email}` : `Delete ${people(some.length)}`,
      text: 'Their fields, events and addresses in mails are erased; mail that waits for them is not sent. Suppressions of their addresses stay, so that they are never mailed by mistake.',
      action: `Delete ${people(some.length)}`,
      isDangerous: true,
      run: () => api.contacts.deleteByEmail({ emails: some.map(({ email }) => email) }),
    });
    if (!done) return;
    clear();
    toast(`Deleted ${people(some.length)}`);
    if (some.some(({ id }) => id === openId)) setQuery({ person: null });
    await contacts.reload();
  }
  async function leave(some: readonly Row[]): Promise<void> {
    const { removed } = await api.contactLists.removeContacts(listId, { contactIds: some.map(({ id }) => id) });
    clear();
    toast(`Removed ${people(removed)} from the list`);
    await contacts.reload();
  }

  const chosenList = names.of(listId)?.thing;
  return (
    <Page
      title="Contacts"
      isFlush
      state={contacts.data.value && <span class="dim">{count(contacts.data.value.pagination.total)}</span>}
      actions={
        <>
          <Button
            icon="download"
            operation="contacts.export"
            onClick={() => save(api.contacts.export({ format: 'csv' }), 'contacts.csv')}
          >
            Download all
          </Button>
          <Button icon="import" href={to('/imports')}>
            Import
          </Button>
          <Button
            kind="first"
            icon="plus"
            operation="contacts.create"
            onClick={() => {
              isAdding.value = true;
            }}
          >
            Add a person
          </Button>
        </>
      }
    >
      <Split
        drawer={
          openId && (
            <ContactDrawer
              key={openId}
              contactId={openId}
              onDelete={(contact) => remove([contact])}
              onChange={() => contacts.reload()}
            />
          )
        }
      >
        <Tools>
          <SearchBox
            label="Part of an address"
            value={search}
            onSearch={(text) => setQuery({ search: text, page: null })}
          />
          <Chooser
            label="List or segment"
            look="beside"
            things={lists}
            names={names}
            none="Everybody"
            value={listId}
            onPick={({ value }) => setQuery({ list: value, page: null })}
          />
        </Tools>
        {ticked.length > 0 && (
          <div class="chosen" role="status">
            <span>
              <span class="strong">{count(ticked.length)}</span> chosen
            </span>
            <Button
              isSmall
              operation="contactLists.addContacts"
              onClick={() => {
                isJoining.value = true;
              }}
            >
              Add to a list
            </Button>
            {chosenList?.type === 'list' && (
              <Button isSmall operation="contactLists.removeContacts" onClick={() => leave(ticked)}>
                Remove from {chosenList.name}
              </Button>
            )}
            <Button isSmall kind="danger" operation="contacts.deleteByEmail" onClick={() => remove(ticked)}>
              Delete {people(ticked.length)}…
            </Button>
            <Button isSmall kind="plain" onClick={clear}>
              Clear
            </Button>
          </div>
        )}
        <LoadedTable query={contacts}>
          <Table
            label="Contacts"
            isListing
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            nameOf={({ email }) => email}
            current={openId}
            chosen={chosen.value}
            onChoose={(next) => {
              chosen.value = next;
            }}
            empty={search || listId ? <NobodyFound /> : <NobodyYet />}
          />
        </LoadedTable>
        {contacts.data.value && <Pager pagination={contacts.data.value.pagination} isListing />}
      </Split>
      {isAdding.value && (
        <ContactDialog
          onClose={() => {
            isAdding.value = false;
          }}
          onDone={async (contact) => {
            toast(`Added ${contact.email}`, { kind: 'good' });
            await contacts.reload();
            setQuery({ person: contact.id }, { push: true });
          }}
        />
      )}
      {isJoining.value && (
        <AddToListDialog
          contactIds={ticked.map(({ id }) => id)}
          onClose={() => {
            isJoining.value = false;
          }}
          onDone={(added) => {
            clear();
            toast(`${counted(added, 'person', 'people')} added`, { kind: 'good' });
          }}
        />
      )}
    </Page>
  );
}

const columns: readonly Column<Row>[] = [
  {
    key: 'email',
    head: 'Address',
    isMain: true,
    isCut: true,
    cell: ({ id, email }) => (
      <a href={to('/contacts', { ...Object.fromEntries(place.value.query), person: id })}>{email}</a>
    ),
  },
  {
    key: 'name',
    head: 'Name',
    isCut: true,
    cell: ({ firstName, lastName }) =>
      [firstName, lastName].filter(Boolean).join(' ') || <span class="dim">no name</span>,
  },
  {
    key: 'changed',
    head: 'Changed',
    isNum: true,
    isDim: true,
    phone: 'hide',
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
  { key: 'added', head: 'Added', isNum: true, isDim: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

function NobodyFound() {
  return (
    <Empty
      title="Nobody fits"
      action={<Button onClick={() => setQuery({ search: null, list: null, page: null })}>Clear the filters</Button>}
    >
      Search for any part of an address, or look among everybody.
    </Empty>
  );
}

function NobodyYet() {
  return (
    <Empty
      title="Nobody is here yet"
      action={
        <Button icon="import" href={to('/imports')}>
          Import a file
        </Button>
      }
    >
      Import a CSV file, copy them from another provider under Migrations, or add a person by hand.
    </Empty>
  );
}
