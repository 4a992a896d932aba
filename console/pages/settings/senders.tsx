import { useSignal } from '@preact/signals';
import type { Domain, Sender } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { useLive } from '../../live.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { State } from '../../parts/data/state.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { SearchBox } from '../../parts/forms/search-box.tsx';
import { confirm } from '../../parts/over/confirm.tsx';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Tools } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, setQuery, to } from '../../router.ts';
import { SettingsListing, SettingsPages } from './pages.tsx';

const LIMIT = 50;

/** The addresses that mail comes from, with their names. */
export default function Senders() {
  const page = currentPage();
  const search = place.value.query.get('search') ?? '';
  const editing = useSignal<Sender | 'new' | null>(null);
  const senders = useQuery(
    (signal) => api.senders.list({ page, limit: LIMIT, newestFirst: true, ...(search && { search }) }, { signal }),
    [page, search],
  );
  const domains = useQuery((signal) => domainsByName(signal));
  useLive(
    ['domain.checked'],
    ({ data }) => {
      domains.data.value = new Map(domains.data.peek()).set(data.domainName, data);
    },
    domains.reload,
  );

  async function remove({ id, email }: Sender): Promise<void> {
    const done = await confirm({
      title: `Delete ${email}`,
      text: 'Campaigns that take their address from it cannot start until they have another one. Mail that waits is still sent.',
      action: 'Delete sender',
      isDangerous: true,
      run: () => api.senders.delete(id),
    });
    if (!done) return;
    toast(`Deleted ${email}`);
    await senders.reload();
  }

  const columns: readonly Column<Sender>[] = [
    { key: 'email', head: 'Address', isMain: true, isCut: true, cell: ({ email }) => email },
    { key: 'name', head: 'Name shown', isCut: true, cell: ({ name }) => name || <span class="dim">none</span> },
    {
      key: 'state',
      head: 'Its domain',
      cell: ({ email }) => <DomainOf domains={domains.data.value} name={domainName(email)} />,
    },
    {
      key: 'reply',
      head: 'Answers go to',
      isCut: true,
      cell: ({ replyTo }) => replyTo || <span class="dim">the sender</span>,
    },
    { key: 'changed', head: 'Changed', isNum: true, isDim: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
    {
      key: 'acts',
      head: '',
      cell: (sender) => (
        <span class="row">
          <Button
            isSmall
            operation="senders.update"
            label={`Change ${sender.email}`}
            onClick={() => {
              editing.value = sender;
            }}
          >
            Change
          </Button>
          <Button
            isSmall
            kind="danger"
            operation="senders.delete"
            label={`Delete ${sender.email}`}
            onClick={() => remove(sender)}
          >
            Delete…
          </Button>
        </span>
      ),
    },
  ];

  return (
    <SettingsListing
      title="Senders"
      making="New sender"
      operation="senders.create"
      editing={editing}
      dialog={(sender, close) => <SenderDialog sender={sender} onDone={() => senders.reload()} onClose={close} />}
    >
      <div class="listing">
        <SettingsPages />
        <Tools>
          <SearchBox
            label="Part of the address or the name"
            value={search}
            onSearch={(text) => setQuery({ search: text, page: null })}
          />
        </Tools>
        <LoadedTable query={senders}>
          <Table
            label="Senders"
            isListing
            columns={columns}
            rows={senders.data.value?.senders ?? null}
            keyOf={({ id }) => id}
            empty={
              search ? (
                <Empty title="No sender fits">Search for another part of the address or the name.</Empty>
              ) : (
                <Empty title="No sender yet">
                  A sender is an address on a verified domain with the name that people see. Campaigns and automations
                  choose one.
                </Empty>
              )
            }
          />
        </LoadedTable>
        {senders.data.value && <Pager pagination={senders.data.value.pagination} isListing />}
      </div>
    </SettingsListing>
  );
}

async function domainsByName(signal: AbortSignal): Promise<ReadonlyMap<string, Domain>> {
  const found = new Map<string, Domain>();
  for await (const domain of api.domains.list({ limit: 100 }, { signal })) found.set(domain.domainName, domain);
  return found;
}

function domainName(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

function DomainOf({ domains, name }: { domains: ReadonlyMap<string, Domain> | null; name: string }) {
  if (!domains) return <span class="dim">…</span>;
  const domain = domains.get(name);
  if (!domain) return <State tone="bad">Not here any more</State>;
  if (domain.verificationStatus === 'VERIFIED') return <State tone="good">Verified</State>;
  return (
    <State tone="warn">
      <a href={to('/domains', { domain: domain.id })}>Not verified</a>
    </State>
  );
}

function SenderDialog({
  sender,
  onDone,
  onClose,
}: {
  sender: Sender | null;
  onDone: () => unknown;
  onClose: () => void;
}) {
  const form = useForm({ email: sender?.email ?? '', name: sender?.name ?? '', replyTo: sender?.replyTo ?? '' });
  const submit = form.submit(async (body) => {
    const saved = sender ? await api.senders.update(sender.id, body) : await api.senders.create(body);
    onClose();
    toast(sender ? `Saved ${saved.email}` : `Made ${saved.email}`, { kind: 'good' });
    await onDone();
  });
  return (
    <FormDialog
      title={sender ? `Change ${sender.email}` : 'New sender'}
      onClose={onClose}
      onSubmit={submit}
      form={form}
      action={sender ? 'Save' : 'Make sender'}
    >
      <Field
        form={form}
        name="email"
        label="Address"
        autocomplete="off"
        placeholder="post@news.harbour.example"
        hint={
          <>
            On a verified domain: <a href={to('/domains')}>Domains</a>.
          </>
        }
      />
      <Field form={form} name="name" label="Name shown" autocomplete="off" placeholder="Harbour Books" />
      <Field form={form} name="replyTo" label="Answers go to" autocomplete="off" placeholder="The sender" />
    </FormDialog>
  );
}
