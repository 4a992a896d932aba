import { useSignal } from '@preact/signals';
import type { NewWebhook, Webhook, WebhookDelivery } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Mono, Pairs, Timeline } from '../../parts/data/details.tsx';
import { counted } from '../../parts/data/format.ts';
import { State, type Tone } from '../../parts/data/state.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { Choose } from '../../parts/forms/choices.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { isoTime, localTime } from '../../parts/forms/local-time.ts';
import { confirm } from '../../parts/over/confirm.tsx';
import { Drawer } from '../../parts/over/drawer.tsx';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Empty, Notice } from '../../parts/page/notice.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, setQuery } from '../../router.ts';
import { WebhookState } from './state.tsx';

const LIMIT = 20;
/** Its events exist for one delivery each. */
const TEST_TYPE = 'webhook.test';

/** One webhook: its deliveries with each try, a test, a replay, its secret. */
export function WebhookDrawer({
  webhook,
  onEdit,
  onSecret,
  onChange,
}: {
  webhook: Webhook;
  onEdit: () => void;
  onSecret: (webhook: NewWebhook) => void;
  onChange: () => unknown;
}) {
  const { id, url } = webhook;
  const status = (place.value.query.get('deliveries') ?? '') as WebhookDelivery['status'] | '';
  const isReplaying = useSignal(false);
  const deliveries = useQuery(
    (signal) => api.webhooks.deliveries(id, { limit: LIMIT, ...(status && { status }) }, { signal }),
    [id, status],
  );
  const close = () => setQuery({ webhook: null, deliveries: null }, { push: true });

  async function rotate(): Promise<void> {
    await confirm({
      title: 'Replace the secret',
      text: 'For 24 hours deliveries are signed with both secrets; then only with the new one.',
      action: 'Replace secret',
      run: async () => onSecret(await api.webhooks.rotateSecret(id)),
    });
    await onChange();
  }
  async function remove(): Promise<void> {
    const done = await confirm({
      title: 'Delete the webhook',
      text: `Events that wait for ${url} are not delivered any more.`,
      action: 'Delete webhook',
      isDangerous: true,
      run: () => api.webhooks.delete(id),
    });
    if (!done) return;
    close();
    await onChange();
  }
  async function test(): Promise<void> {
    await api.webhooks.test(id);
    toast('A test event is on its way');
    await deliveries.reload();
  }
  async function deliverAgain({ eventId }: WebhookDelivery): Promise<void> {
    const { replayed } = await api.webhooks.replay(id, { eventIds: [eventId] });
    if (replayed === 0) toast('The event is no longer kept, or the webhook does not ask for its type any more.');
    else toast('The event is on its way again');
    await deliveries.reload();
  }
  async function toggle(): Promise<void> {
    await api.webhooks.update(id, { isActive: !webhook.isActive });
    await onChange();
  }

  return (
    <Drawer title="Webhook" under={<WebhookState webhook={webhook} />} onClose={close}>
      {webhook.disabledReason && (
        <Notice kind="bad" title={webhook.disabledReason}>
          Mend the receiver, switch the webhook on, and replay what it missed.
        </Notice>
      )}
      <Pairs
        pairs={[
          ['Address', <Mono key="url" text={url} what="the address" />],
          ['Events', webhook.events.join(', ')],
          ['Made', <Time key="made" at={webhook.createdAt} />],
        ]}
      />
      <div class="row wrap">
        <Button operation="webhooks.test" onClick={test}>
          Send a test
        </Button>
        <Button
          operation="webhooks.replay"
          onClick={() => {
            isReplaying.value = true;
          }}
        >
          Replay…
        </Button>
        <Button operation="webhooks.update" onClick={onEdit}>
          Change
        </Button>
        <Button operation="webhooks.update" onClick={toggle}>
          {webhook.isActive ? 'Switch off' : 'Switch on'}
        </Button>
        <Button operation="webhooks.rotateSecret" onClick={rotate}>
          Replace secret…
        </Button>
        <Button kind="danger" operation="webhooks.delete" onClick={remove}>
          Delete…
        </Button>
      </div>
      <div class="stack tight">
        <h3>Deliveries of 30 days</h3>
        <Choose
          label="Deliveries"
          value={status}
          options={[
            { value: '', label: 'All' },
            { value: 'pending', label: 'Waiting' },
            { value: 'failed', label: 'Failed' },
            { value: 'delivered', label: 'Delivered' },
          ]}
          onChange={(value) => setQuery({ deliveries: value })}
        />
      </div>
      <Loaded query={deliveries}>
        {({ deliveries: rows, pagination }) =>
          rows.length === 0 ? (
            <Empty title="No delivery here">Send a test to see whether your program answers.</Empty>
          ) : (
            <>
              <Timeline entries={rows.map((row) => entryOf(row, webhook, deliverAgain))} />
              {pagination.total > rows.length && (
                <p class="dim small">
                  The newest {rows.length} of {counted(pagination.total, 'delivery', 'deliveries')}.
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {isReplaying.value && (
        <ReplayDialog
          webhookId={id}
          onDone={deliveries.reload}
          onClose={() => {
            isReplaying.value = false;
          }}
        />
      )}
    </Drawer>
  );
}

const states: Record<WebhookDelivery['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'open', word: 'waiting' },
  delivered: { tone: 'idle', word: 'delivered' },
  failed: { tone: 'bad', word: 'failed' },
};

function entryOf(
  delivery: WebhookDelivery,
  { isActive }: Webhook,
  deliverAgain: (delivery: WebhookDelivery) => Promise<void>,
) {
  const { id, type, status, tries, createdAt, nextAttemptAt, isReplay } = delivery;
  const { tone, word } = states[status];
  const last = tries.at(-1);
  return {
    key: id,
    at: createdAt,
    tone,
    title: (
      <span class="row">
        <span class="mono">{type}</span> <State tone={tone}>{word}</State>
        {isReplay && <span class="dim small">replayed</span>}
      </span>
    ),
    under: (
      <>
        {last &&
          `${counted(tries.length, 'try', 'tries')}, the last ${last.status === null ? `without an answer: ${last.error}` : `answered ${last.status}`} after ${last.tookMs} ms. `}
        {nextAttemptAt && <NextTry at={nextAttemptAt} />}{' '}
        {status !== 'pending' && type !== TEST_TYPE && (
          <Button
            isSmall
            operation="webhooks.replay"
            label={`Deliver again: ${type}`}
            why={!isActive && 'The webhook is off: switch it on first.'}
            onClick={() => deliverAgain(delivery)}
          >
            Deliver again
          </Button>
        )}
      </>
    ),
  };
}

function NextTry({ at }: { at: string }) {
  if (new Date(at) <= new Date()) return <>It is tried now.</>;
  return (
    <>
      Next try <Time at={at} />.
    </>
  );
}

function ReplayDialog({
  webhookId,
  onDone,
  onClose,
}: {
  webhookId: string;
  onDone: () => unknown;
  onClose: () => void;
}) {
  const now = new Date();
  const form = useForm({ from: localTime(new Date(now.getTime() - 3_600_000)), to: localTime(now) });
  const submit = form.submit(async ({ from, to }) => {
    const { replayed } = await api.webhooks.replay(webhookId, { from: isoTime(from), to: isoTime(to) });
    onClose();
    toast(replayed === 0 ? 'No event in that time' : `${counted(replayed, 'event')} delivered again`);
    await onDone();
  });
  return (
    <FormDialog title="Replay events" onClose={onClose} onSubmit={submit} form={form} action="Deliver again">
      <p>Every event of this time is delivered again, under the id it had.</p>
      <Field form={form} name="from" label="From" type="datetime-local" />
      <Field form={form} name="to" label="To" type="datetime-local" />
    </FormDialog>
  );
}
