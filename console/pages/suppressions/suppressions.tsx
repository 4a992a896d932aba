import { useSignal } from '@preact/signals';
import type { Suppression, SuppressionReason } from '../../../client/index.ts';
import { useAct } from '../../acts.ts';
import { api } from '../../api.ts';
import { Chooser, ChooserField } from '../../parts/choose/chooser.tsx';
import { useNames } from '../../parts/choose/names.ts';
import { suppressionGroups } from '../../parts/choose/things.ts';
import { count, counted } from '../../parts/data/format.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { State } from '../../parts/data/state.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { save } from '../../parts/forms/download.ts';
import { TextArea } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FilterSelect, SearchBox } from '../../parts/forms/search-box.tsx';
import { confirm } from '../../parts/over/confirm.tsx';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Page, Tools } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, setQuery, to } from '../../router.ts';

const LIMIT = 20;
const reasons: Record<SuppressionReason, { label: string; tone: 'warn' | 'bad' | 'idle'; saidBy: string }> = {
  UNSUBSCRIBE: { label: 'Unsubscribed', tone: 'warn', saidBy: 'the person' },
  BOUNCE: { label: 'Bounced', tone: 'bad', saidBy: 'the relay' },
  COMPLAINT: { label: 'Complained', tone: 'bad', saidBy: 'the mailbox provider' },
  MANUAL: { label: 'By hand', tone: 'idle', saidBy: 'a member or a program' },
};

/** The addresses that get no mail, by group, with the reason of each. */
export default function Suppressions() {
  const { query } = place.value;
  const search = query.get('search') ?? '';
  const reason = (query.get('reason') ?? '') as SuppressionReason | '';
  const groupId = query.get('group') ?? '';
  const page = currentPage();
  const isAdding = useSignal(false);
  useAct('suppressionGroups.suppress', () => {
    isAdding.value = true;
  });
  const chosen = useSignal<ReadonlySet<string>>(new Set());

  const entries = useQuery(
    (signal) => {
      const filter = { ...(search && { search }), ...(reason && { reason }), ...(groupId && { groupId }) };
      return api.suppressionGroups.searchEntries({ ...filter, page, limit: LIMIT }, { signal });
    },
    [search, reason, groupId, page],
  );
  const rows = entries.data.value?.entries ?? null;
  const groups = useNames(suppressionGroups, [groupId, ...new Set(rows?.map((row) => row.groupId))]);
  const isFiltered = Boolean(search || reason || groupId);

  async function release(some: readonly Suppression[]): Promise<void> {
    const title =
      some.length === 1 ? `Release ${some[0]?.email}` : `Release ${counted(some.length, 'entry', 'entries')}`;
    const done = await confirm({
      title,
      text: `Mail of these groups may go to ${counted(some.length, 'address', 'addresses')} again. Release only people who asked for it.`,
      action: `Release ${counted(some.length, 'address', 'addresses')}`,
      isDangerous: true,
      run: async () => {
        for (const [group, inside] of Map.groupBy(some, ({ groupId: id }) => id))
          await api.suppressionGroups.unsuppress({ groupId: group, emails: inside.map(({ email }) => email) });
      },
    });
    if (!done) return;
    chosen.value = new Set();
    toast(`Released ${counted(some.length, 'address', 'addresses')}`, { kind: 'good' });
    await entries.reload();
  }

  const columns: readonly Column<Suppression>[] = [
    { key: 'email', head: 'Address', cell: ({ email }) => email, isMain: true, isCut: true },
    {
      key: 'reason',
      head: 'Why',
      cell: (row) => <State tone={reasons[row.reason].tone}>{reasons[row.reason].label}</State>,
    },
    { key: 'group', head: 'Group', cell: (row) => groups.name(row.groupId), isCut: true },
    {
      key: 'evidence',
      head: 'Who said so',
      cell: (row) => row.evidence ?? <span class="dim">{reasons[row.reason].saidBy}</span>,
      isCut: true,
    },
    { key: 'since', head: 'Since', cell: ({ createdAt }) => <Time at={createdAt} />, isNum: true, isDim: true },
    {
      key: 'acts',
      head: '',
      cell: (row) => (
        <Button
          isSmall
          operation="suppressionGroups.unsuppress"
          label={`Release ${row.email}`}
          onClick={() => release([row])}
        >
          Release…
        </Button>
      ),
    },
  ];
  const ticked = rows?.filter(({ id }) => chosen.value.has(id)) ?? [];

  return (
    <Page
      title="Suppressions"
      isFlush
      state={entries.data.value && <span class="dim">{count(entries.data.value.pagination.total)}</span>}
      actions={
        <>
          <Button href={to('/suppressions/groups')}>Groups</Button>
          <Button
            icon="download"
            operation="suppressionGroups.exportEntries"
            onClick={() => save(api.suppressionGroups.exportEntries({ format: 'csv' }), 'suppressions.csv')}
          >
            Download all
          </Button>
          <Button
            kind="first"
            icon="plus"
            operation="suppressionGroups.suppress"
            onClick={() => {
              isAdding.value = true;
            }}
          >
            Suppress addresses
          </Button>
        </>
      }
    >
      <div class="listing">
        <Tools>
          <SearchBox
            label="Part of an address, a reason or a group"
            value={search}
            onSearch={(text) => setQuery({ search: text, page: null })}
          />
          <FilterSelect
            label="Why"
            value={reason}
            options={[
              { value: '', label: 'Every reason' },
              ...Object.entries(reasons).map(([value, { label }]) => ({ value, label })),
            ]}
            onChange={(value) => setQuery({ reason: value, page: null })}
          />
          <Chooser
            label="Group"
            look="beside"
            things={suppressionGroups}
            names={groups}
            none="Every group"
            value={groupId}
            onPick={({ value }) => setQuery({ group: value, page: null })}
          />
        </Tools>
        {ticked.length > 0 && (
          <div class="chosen" role="status">
            <span>
              <span class="strong">{count(ticked.length)}</span> chosen
            </span>
            <Button isSmall operation="suppressionGroups.unsuppress" onClick={() => release(ticked)}>
              Release {counted(ticked.length, 'address', 'addresses')}…
            </Button>
            <Button
              isSmall
              kind="plain"
              onClick={() => {
                chosen.value = new Set();
              }}
            >
              Clear
            </Button>
          </div>
        )}
        <LoadedTable query={entries}>
          <Table
            label="Suppressions"
            isListing
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            nameOf={({ email }) => email}
            chosen={chosen.value}
            onChoose={(next) => {
              chosen.value = next;
            }}
            empty={isFiltered ? <NothingFound /> : <NothingYet />}
          />
        </LoadedTable>
        {entries.data.value && <Pager pagination={entries.data.value.pagination} isListing />}
      </div>
      {isAdding.value && (
        <AddDialog
          onClose={() => {
            isAdding.value = false;
          }}
          onDone={() => entries.reload()}
        />
      )}
    </Page>
  );
}

function NothingFound() {
  return (
    <Empty
      title="No entry fits"
      action={
        <Button onClick={() => setQuery({ search: null, reason: null, group: null, page: null })}>
          Clear the filters
        </Button>
      }
    >
      Search for a part of the address, or look in every group.
    </Empty>
  );
}

function NothingYet() {
  return (
    <Empty title="Everybody may be mailed">
      People come here when they unsubscribe, when their address bounces, or when they complain. You can also suppress
      addresses by hand.
    </Empty>
  );
}

function AddDialog({ onClose, onDone }: { onClose: () => void; onDone: () => unknown }) {
  const form = useForm({ emails: '', groupId: '' });
  const emails = form.values.value.emails.split(/[\s,;]+/).filter(Boolean);
  const submit = form.submit(async ({ groupId }) => {
    const { suppressed } = await api.suppressionGroups.suppress({ emails, ...(groupId && { groupId }) });
    toast(`Suppressed ${counted(suppressed, 'address', 'addresses')}`, { kind: 'good' });
    onClose();
    await onDone();
  });
  return (
    <FormDialog
      title="Suppress addresses"
      onClose={onClose}
      onSubmit={submit}
      form={form}
      action={emails.length === 0 ? 'Suppress' : `Suppress ${counted(emails.length, 'address', 'addresses')}`}
    >
      <TextArea
        form={form}
        name="emails"
        label="Addresses"
        rows={6}
        isMono
        placeholder="ada@harbour.example"
        hint="One a line, or with commas between them."
      />
      <ChooserField form={form} name="groupId" label="Group" things={suppressionGroups} none="The default group" />
    </FormDialog>
  );
}
