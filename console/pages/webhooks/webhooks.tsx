import { useSignal } from '@preact/signals';
import type { NewWebhook, Webhook } from '../../../client/index.ts';
import type { ProjectEventType } from '../../../schemas/events/webhooks.ts';
import { useAct } from '../../acts.ts';
import { api } from '../../api.ts';
import { counted } from '../../parts/data/format.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { Field, FieldFrame } from '../../parts/forms/field.tsx';
import { type Form, useForm } from '../../parts/forms/form.ts';
import { Split } from '../../parts/over/drawer.tsx';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { SecretDialog } from '../../parts/over/secret.tsx';
import { LoadedTable, LoadFailure } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { useOpened } from '../../parts/page/opened.ts';
import { Page } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, to } from '../../router.ts';
import { WebhookDrawer } from './drawer.tsx';
import { eventTypes } from './event-types.ts';
import { WebhookState } from './state.tsx';

const LIMIT = 20;

/** Where events are delivered, whether deliveries arrive, and delivering again what did not. */
export default function Webhooks() {
  const page = currentPage();
  const openId = place.value.query.get('webhook');
  const editing = useSignal<Webhook | 'new' | null>(null);
  useAct('webhooks.create', () => {
    editing.value = 'new';
  });
  const made = useSignal<NewWebhook | null>(null);
  const webhooks = useQuery((signal) => api.webhooks.list({ page, limit: LIMIT }, { signal }), [page]);
  const rows = webhooks.data.value?.webhooks ?? null;
  const { opened, query: other } = useOpened(openId, rows, (id, signal) => api.webhooks.get(id, { signal }));
  const reload = () => Promise.all([webhooks.reload(), other.reload()]);

  return (
    <Page
      title="Webhooks"
      isFlush
      actions={
        <Button
          kind="first"
          icon="plus"
          operation="webhooks.create"
          onClick={() => {
            editing.value = 'new';
          }}
        >
          New webhook
        </Button>
      }
    >
      <Split
        drawer={
          opened && (
            <WebhookDrawer
              key={opened.id}
              webhook={opened}
              onEdit={() => {
                editing.value = opened;
              }}
              onSecret={(replaced) => {
                made.value = replaced;
              }}
              onChange={reload}
            />
          )
        }
      >
        {openId && other.error.value !== null && <LoadFailure error={other.error.value} onRetry={other.reload} />}
        <LoadedTable query={webhooks}>
          <Table
            label="Webhooks"
            isListing
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            current={opened?.id ?? null}
            empty={
              <Empty title="No webhook yet">
                A webhook posts events, such as bounces and clicks, to a program of yours, signed and repeated until
                they arrive.
              </Empty>
            }
          />
        </LoadedTable>
        {webhooks.data.value && <Pager pagination={webhooks.data.value.pagination} isListing />}
      </Split>
      {editing.value && (
        <EditDialog
          webhook={editing.value === 'new' ? null : editing.value}
          onClose={() => {
            editing.value = null;
          }}
          onMade={(webhook) => {
            made.value = webhook;
          }}
          onDone={reload}
        />
      )}
      {made.value && (
        <SecretDialog
          title="Copy the secret now"
          what="the secret"
          secret={made.value.secret}
          onClose={() => {
            made.value = null;
          }}
        >
          It is shown this once. Your program checks the signature of each delivery with it.
        </SecretDialog>
      )}
    </Page>
  );
}

const columns: readonly Column<Webhook>[] = [
  {
    key: 'url',
    head: 'Address',
    isMain: true,
    isCut: true,
    cell: ({ id, url }) => (
      <a href={to('/webhooks', { page: place.value.query.get('page'), webhook: id })}>
        {url.replace(/^https:\/\//, '')}
      </a>
    ),
  },
  { key: 'state', head: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
  { key: 'events', head: 'Events', cell: ({ events }) => counted(events.length, 'type'), phone: 'hide' },
  {
    key: 'since',
    head: 'Failing since',
    isNum: true,
    isDim: true,
    cell: ({ failingSince }) => (failingSince ? <Time at={failingSince} /> : 'not failing'),
  },
];

interface WebhookForm {
  url: string;
  events: readonly ProjectEventType[];
}

function EditDialog({
  webhook,
  onClose,
  onMade,
  onDone,
}: {
  webhook: Webhook | null;
  onClose: () => void;
  onMade: (webhook: NewWebhook) => void;
  onDone: () => unknown;
}) {
  const form = useForm<WebhookForm>({ url: webhook?.url ?? '', events: webhook?.events ?? [] });
  const submit = form.submit(async ({ url, events }) => {
    const body = { url, events: [...events] };
    if (webhook) await api.webhooks.update(webhook.id, body);
    else onMade(await api.webhooks.create(body));
    onClose();
    await onDone();
  });
  return (
    <FormDialog
      title={webhook ? 'Change webhook' : 'New webhook'}
      isWide
      onClose={onClose}
      onSubmit={submit}
      form={form}
      action={webhook ? 'Save' : 'Make webhook'}
    >
      <Field
        form={form}
        name="url"
        label="Address"
        placeholder="https://hooks.harbour.example/everpost"
        autocomplete="off"
        hint="https, and reachable from the internet."
      />
      <EventChoice form={form} />
    </FormDialog>
  );
}

/** The types, under the noun that they begin with. */
function EventChoice({ form }: { form: Form<WebhookForm> }) {
  const chosen = new Set(form.values.value.events);
  const choose = (some: readonly ProjectEventType[], isOn: boolean) =>
    form.set(
      'events',
      eventTypes.filter((type) => (some.includes(type) ? isOn : chosen.has(type))),
    );
  const groups = [...Map.groupBy(eventTypes, (type) => type.slice(0, type.indexOf('.')))];
  return (
    <FieldFrame form={form} name="events" label="Events">
      {({ id, describedBy, error }) => (
        <div id={id} class="event-types" role="group" aria-label="Events" aria-describedby={describedBy}>
          {groups.map(([noun, types]) => (
            <fieldset key={noun} class="stack tight">
              <legend class="label">
                <label class="option">
                  <input
                    class="check"
                    type="checkbox"
                    checked={types.every((type) => chosen.has(type))}
                    aria-invalid={error ? true : undefined}
                    onChange={(event) => choose(types, event.currentTarget.checked)}
                  />
                  <span>All of {noun}</span>
                </label>
              </legend>
              {types.map((type) => (
                <label key={type} class="option">
                  <input
                    class="check"
                    type="checkbox"
                    checked={chosen.has(type)}
                    onChange={(event) => choose([type], event.currentTarget.checked)}
                  />
                  <span>{type.slice(noun.length + 1).replace(/_/g, ' ')}</span>
                </label>
              ))}
            </fieldset>
          ))}
        </div>
      )}
    </FieldFrame>
  );
}
