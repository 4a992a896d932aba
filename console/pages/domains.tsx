import { useSignal } from '@preact/signals';
import type { DnsRecord, Domain } from '../../client/index.ts';
import { useAct } from '../acts.ts';
import { api } from '../api.ts';
import { useLive } from '../live.ts';
import { Mono, Pairs } from '../parts/data/details.tsx';
import { currentPage, Pager } from '../parts/data/pager.tsx';
import { State, type Tone } from '../parts/data/state.tsx';
import { type Column, Table } from '../parts/data/table.tsx';
import { Time } from '../parts/data/time.tsx';
import { Button } from '../parts/forms/button.tsx';
import { Choose } from '../parts/forms/choices.tsx';
import { Field } from '../parts/forms/field.tsx';
import { useForm } from '../parts/forms/form.ts';
import { confirm } from '../parts/over/confirm.tsx';
import { Drawer, Split } from '../parts/over/drawer.tsx';
import { FormDialog } from '../parts/over/form-dialog.tsx';
import { toast, toastError } from '../parts/over/toast.tsx';
import { LoadFailure } from '../parts/page/loaded.tsx';
import { Empty, Notice } from '../parts/page/notice.tsx';
import { useOpened } from '../parts/page/opened.ts';
import { Page } from '../parts/page/page.tsx';
import { useQuery } from '../parts/page/query.ts';
import { place, setQuery, to } from '../router.ts';
import { can } from '../session.ts';

const LIMIT = 20;

/** The domains that mail comes from: which records to publish, and what DNS says. */
export default function Domains() {
  const page = currentPage();
  const openId = place.value.query.get('domain');
  const isAdding = useSignal(false);
  useAct('domains.create', () => {
    isAdding.value = true;
  });
  const domains = useQuery((signal) => api.domains.list({ page, limit: LIMIT }, { signal }), [page]);
  const rows = domains.data.value?.domains ?? null;
  const { opened, query: other } = useOpened(openId, rows, (id, signal) => api.domains.get(id, { signal }));

  /** Puts a newer domain into what is shown, without loading the list again. */
  function show(domain: Domain): void {
    const { data } = domains;
    if (data.value)
      data.value = { ...data.value, domains: data.value.domains.map((one) => (one.id === domain.id ? domain : one)) };
    if (other.data.value?.id === domain.id) other.data.value = domain;
  }
  useLive(['domain.checked'], ({ data }) => show(data), domains.reload);

  return (
    <Page
      title="Domains"
      isFlush
      actions={
        <Button
          kind="first"
          icon="plus"
          operation="domains.create"
          onClick={() => {
            isAdding.value = true;
          }}
        >
          Add domain
        </Button>
      }
    >
      <Split
        drawer={
          opened && <DomainDrawer key={opened.id} domain={opened} onChange={show} onGone={() => domains.reload()} />
        }
      >
        {domains.error.value !== null && (
          <LoadFailure error={domains.error.value} hasOld={rows !== null} onRetry={domains.reload} />
        )}
        {openId && other.error.value !== null && <LoadFailure error={other.error.value} onRetry={other.reload} />}
        {(rows !== null || domains.error.value === null) && (
          <Table
            label="Domains"
            isListing
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            nameOf={({ domainName }) => domainName}
            current={opened?.id ?? null}
            empty={
              <Empty title="No domain yet">
                Mail leaves from a domain that you own. Add it, publish its DNS records, and it is checked by itself.
              </Empty>
            }
          />
        )}
        {domains.data.value && <Pager pagination={domains.data.value.pagination} isListing />}
      </Split>
      {isAdding.value && (
        <AddDialog
          onClose={() => {
            isAdding.value = false;
          }}
          onDone={async (domain) => {
            await domains.reload();
            setQuery({ domain: domain.id }, { push: true });
          }}
        />
      )}
    </Page>
  );
}

const columns: readonly Column<Domain>[] = [
  {
    key: 'name',
    head: 'Domain',
    isMain: true,
    isCut: true,
    cell: ({ id, domainName }) => <a href={to('/domains', { domain: id })}>{domainName}</a>,
  },
  { key: 'state', head: 'State', cell: (domain) => <DomainState domain={domain} /> },
  {
    key: 'signs',
    head: 'Signed by',
    cell: ({ dkimSigning }) => (dkimSigning === 'own' ? 'Everpost' : 'the relay'),
    phone: 'hide',
  },
  { key: 'inbound', head: 'Receives mail', cell: (domain) => inboundWord(domain) },
  {
    key: 'checked',
    head: 'Checked',
    isNum: true,
    isDim: true,
    cell: ({ lastCheckedAt }) => (lastCheckedAt ? <Time at={lastCheckedAt} /> : 'not yet'),
  },
];

function inboundWord({ inboundEnabledAt, inboundDomainVerifiedAt }: Domain): string {
  if (!inboundEnabledAt) return 'no';
  return inboundDomainVerifiedAt ? 'yes' : 'MX record is missing';
}

const states: Record<Domain['verificationStatus'], { tone: Tone; word: string }> = {
  VERIFIED: { tone: 'good', word: 'Verified' },
  PENDING: { tone: 'warn', word: 'Records are missing' },
  PENDING_CONFIGURATION: { tone: 'open', word: 'Waits for its records' },
};

function DomainState({ domain }: { domain: Domain }) {
  if (domain.verificationInProgress) return <State tone="live">Checking DNS</State>;
  const { tone, word } = states[domain.verificationStatus];
  return <State tone={tone}>{word}</State>;
}

function DomainDrawer({
  domain,
  onChange,
  onGone,
}: {
  domain: Domain;
  onChange: (domain: Domain) => void;
  onGone: () => unknown;
}) {
  const { id, domainName, dnsRecords } = domain;
  const close = () => setQuery({ domain: null }, { push: true });

  async function remove(): Promise<void> {
    const done = await confirm({
      title: `Delete ${domainName}`,
      text: 'Its DKIM key is deleted too. Mail from this domain is refused from then on; adding it again makes new records.',
      action: 'Delete domain',
      isDangerous: true,
      run: () => api.domains.delete(id),
    });
    if (!done) return;
    close();
    toast(`Deleted ${domainName}`);
    await onGone();
  }
  const receive = async () => onChange(await api.domains.enableInbound(id));
  const stopReceiving = () =>
    confirm({
      title: `Stop receiving at ${domainName}`,
      text: 'Mail to any address of this domain is refused from then on. What has come in stays.',
      action: 'Stop receiving',
      isDangerous: true,
      run: async () => onChange(await api.domains.disableInbound(id)),
    });

  return (
    <Drawer title={domainName} under={<DomainState domain={domain} />} onClose={close}>
      {domain.message && (
        <Notice kind={domain.verificationStatus === 'VERIFIED' ? 'plain' : 'warn'} title={domain.message} />
      )}
      <div class="row wrap">
        <Button
          icon="refresh"
          operation="domains.verify"
          isBusy={domain.verificationInProgress}
          onClick={async () => onChange(await api.domains.verify(id))}
        >
          {domain.verificationInProgress ? 'Checking' : 'Check now'}
        </Button>
        <Button
          operation={domain.inboundEnabledAt ? 'domains.disableInbound' : 'domains.enableInbound'}
          why={!domain.inboundEnabledAt && domain.verificationStatus !== 'VERIFIED' && 'Verify the domain first.'}
          onClick={domain.inboundEnabledAt ? stopReceiving : receive}
        >
          {domain.inboundEnabledAt ? 'Stop receiving…' : 'Receive mail'}
        </Button>
        <Button kind="danger" operation="domains.delete" onClick={remove}>
          Delete…
        </Button>
      </div>
      <Choose
        label="Who signs its mail"
        look="list"
        value={domain.dkimSigning}
        options={[
          {
            value: 'own',
            label: 'Everpost signs',
            hint: 'By the DKIM records below: with RSA, and with Ed25519 once its record is found.',
            isDisabled: !can('domains.update'),
          },
          {
            value: 'relay',
            label: 'The relay signs',
            hint: 'The DKIM records below are not needed.',
            isDisabled: !can('domains.update'),
          },
        ]}
        onChange={(dkimSigning) => void save(domain, dkimSigning as Domain['dkimSigning'], onChange)}
      />
      <h3>Records to publish</h3>
      <Record what="Ownership" record={dnsRecords.ownership} />
      <Record what="DKIM" record={dnsRecords.dkim} />
      {dnsRecords.dkimEd25519 && <Record what="DKIM, Ed25519" record={dnsRecords.dkimEd25519} />}
      {dnsRecords.mailFrom.map((record) => (
        <Record key={record.type} what={`Return path, ${record.type}`} record={record} />
      ))}
      <Record what="DMARC" record={dnsRecords.dmarc} />
      {dnsRecords.inboundMx && <Record what="Receiving mail" record={dnsRecords.inboundMx} />}
    </Drawer>
  );
}

/** A refused choice is shown as it is stored again: the browser has marked the other one by then. */
async function save(domain: Domain, dkimSigning: Domain['dkimSigning'], onChange: (domain: Domain) => void) {
  const { data, error } = await api.safe.domains.update(domain.id, { dkimSigning });
  if (error) toastError(error);
  onChange(data ?? { ...domain });
}

const found: Record<string, { tone: Tone; word: string }> = {
  found: { tone: 'good', word: 'Found' },
  absent: { tone: 'bad', word: 'Not found' },
  different: { tone: 'bad', word: 'Another value' },
  unanswered: { tone: 'warn', word: 'DNS did not answer' },
};

/** A record as a form of a DNS provider asks for it, and what DNS said at the last check. */
function Record({
  what,
  record,
}: {
  what: string;
  record: DnsRecord & { found?: string | null; values?: string[] | null };
}) {
  const said = record.found ? found[record.found] : null;
  return (
    <section class="stack tight record" aria-label={what}>
      <div class="row">
        <span class="strong grow">{what}</span>
        {said ? <State tone={said.tone}>{said.word}</State> : <State tone="open">Not checked yet</State>}
      </div>
      <p class="dim small">{record.purpose}</p>
      <Pairs
        pairs={[
          ['Type', record.priority === undefined ? record.type : `${record.type}, priority ${record.priority}`],
          ['Name', <Mono key="name" text={record.name} what={`the name of the ${what} record`} />],
          ['Value', <Mono key="value" text={record.value} what={`the value of the ${what} record`} />],
        ]}
      />
      {record.found === 'different' && record.values && (
        <p class="small t-bad">DNS has: {record.values.join(' and ') || 'an empty value'}</p>
      )}
    </section>
  );
}

function AddDialog({ onClose, onDone }: { onClose: () => void; onDone: (domain: Domain) => unknown }) {
  const form = useForm({ domainName: '' });
  const submit = form.submit(async ({ domainName }) => {
    const domain = await api.domains.create({ domainName });
    onClose();
    await onDone(domain);
  });
  return (
    <FormDialog title="Add a domain" onClose={onClose} onSubmit={submit} form={form} action="Add domain">
      <Field
        form={form}
        name="domainName"
        label="Domain"
        placeholder="news.harbour.example"
        autocomplete="off"
        hint="A subdomain keeps the reputation of your newsletters apart from that of your own mail."
      />
    </FormDialog>
  );
}
