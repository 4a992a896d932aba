import { useSignal } from '@preact/signals';
import type { ApiKey, NewApiKey } from '../../client/index.ts';
import { useAct } from '../acts.ts';
import { api } from '../api.ts';
import { State } from '../parts/data/state.tsx';
import { type Column, Table } from '../parts/data/table.tsx';
import { Time } from '../parts/data/time.tsx';
import { Button } from '../parts/forms/button.tsx';
import { Options } from '../parts/forms/choices.tsx';
import { Field } from '../parts/forms/field.tsx';
import { useForm } from '../parts/forms/form.ts';
import { confirm } from '../parts/over/confirm.tsx';
import { FormDialog } from '../parts/over/form-dialog.tsx';
import { SecretDialog } from '../parts/over/secret.tsx';
import { toast } from '../parts/over/toast.tsx';
import { LoadedTable } from '../parts/page/loaded.tsx';
import { Empty, Notice } from '../parts/page/notice.tsx';
import { Page } from '../parts/page/page.tsx';
import { useQuery } from '../parts/page/query.ts';
import { can, current } from '../session.ts';

const scopes = {
  full: 'Everything of the project',
  send: 'Sends mail',
  read: 'Reads only',
} as const;

/** The keys with which programs call the project. */
export default function KeysPage() {
  if (can('apiKeys.list')) return <Keys />;
  return (
    <Page title="Keys">
      <Notice kind="warn" title="Owners see the keys">
        Your role does not include this. An owner of the organization can change it under Members.
      </Notice>
    </Page>
  );
}

function Keys() {
  const projectId = current.value?.project.id ?? '';
  const isCreating = useSignal(false);
  useAct('apiKeys.create', () => {
    isCreating.value = true;
  });
  const keys = useQuery((signal) => api.apiKeys.list(projectId, { signal }), [projectId]);
  const rows = keys.data.value?.apiKeys ?? null;

  async function revoke({ id, name, lastUsedAt }: ApiKey): Promise<void> {
    const done = await confirm({
      title: `Delete the key ${name}`,
      text: lastUsedAt
        ? 'Programs that use it are refused at once, and their streams end.'
        : 'It was never used. Programs that have it are refused at once.',
      action: 'Delete key',
      isDangerous: true,
      run: () => api.apiKeys.delete(id),
    });
    if (!done) return;
    toast(`Deleted the key ${name}`);
    await keys.reload();
  }

  const columns: readonly Column<ApiKey>[] = [
    { key: 'name', head: 'Name', isMain: true, isCut: true, cell: ({ name }) => name },
    {
      key: 'scope',
      head: 'May do',
      cell: ({ scope, domainName }) => (
        <State tone={scope === 'full' ? 'warn' : 'idle'}>
          {scopes[scope]}
          {domainName && ` from ${domainName}`}
        </State>
      ),
    },
    { key: 'created', head: 'Created', isNum: true, isDim: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      key: 'used',
      head: 'Last used',
      isNum: true,
      isDim: true,
      cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'never'),
    },
    {
      key: 'acts',
      head: '',
      cell: (key) => (
        <Button
          isSmall
          kind="danger"
          operation="apiKeys.delete"
          label={`Delete ${key.name}`}
          onClick={() => revoke(key)}
        >
          Delete…
        </Button>
      ),
    },
  ];

  return (
    <Page
      title="Keys"
      isFlush
      actions={
        <Button
          kind="first"
          icon="plus"
          operation="apiKeys.create"
          onClick={() => {
            isCreating.value = true;
          }}
        >
          New key
        </Button>
      }
    >
      <div class="listing">
        <LoadedTable query={keys}>
          <Table
            label="Keys"
            isListing
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            empty={
              <Empty title="No key yet">
                A program needs a key to send mail or to read. Give each program one of its own, with as little as it
                needs.
              </Empty>
            }
          />
        </LoadedTable>
      </div>
      {isCreating.value && (
        <NewKeyDialog
          projectId={projectId}
          onDone={() => keys.reload()}
          onClose={() => {
            isCreating.value = false;
          }}
        />
      )}
    </Page>
  );
}

/** Makes a key, then shows it this once. */
function NewKeyDialog({
  projectId,
  onDone,
  onClose,
}: {
  projectId: string;
  onDone: () => unknown;
  onClose: () => void;
}) {
  const form = useForm({ name: '', scope: 'send', domainName: '' });
  const made = useSignal<NewApiKey | null>(null);
  const submit = form.submit(async ({ name, scope, domainName }) => {
    const domain = domainName.trim();
    const key = await api.apiKeys.create(projectId, {
      name,
      scope: scope as ApiKey['scope'],
      ...(scope === 'send' && domain && { domainName: domain }),
    });
    made.value = key;
    await onDone();
  });
  if (made.value)
    return (
      <SecretDialog title="Copy the key now" what="the key" secret={made.value.key} onClose={onClose}>
        It is shown this once: only its hash is stored. Programs that send by SMTP take it as their password, with any
        user name.
      </SecretDialog>
    );
  return (
    <FormDialog title="New key" onClose={onClose} onSubmit={submit} form={form} action="Make key">
      <Field
        form={form}
        name="name"
        label="Name"
        placeholder="Shop, production"
        autocomplete="off"
        hint="The program that uses it."
      />
      <Options
        form={form}
        name="scope"
        label="May do"
        options={[
          { value: 'send', label: scopes.send, hint: 'By the REST interface or SMTP; and reading what it sent.' },
          { value: 'read', label: scopes.read, hint: 'Everything of the project, without changing it.' },
          { value: 'full', label: scopes.full, hint: 'Contacts, campaigns, automations, deletions.' },
        ]}
      />
      {form.values.value.scope === 'send' && (
        <Field
          form={form}
          name="domainName"
          label="Only from this domain"
          placeholder="Every verified domain"
          autocomplete="off"
        />
      )}
    </FormDialog>
  );
}
