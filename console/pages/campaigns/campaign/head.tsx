import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Campaign, CampaignProgress } from '../../../../client/index.ts';
import { Button } from '../../../parts/forms/button.tsx';
import { Menu } from '../../../parts/over/menu.tsx';
import { toast, toastError } from '../../../parts/over/toast.tsx';
import { navigate } from '../../../router.ts';
import { can, whyNot } from '../../../session.ts';
import { CampaignTest } from '../test-mail.tsx';
import { abort, duplicate, editPath, pause, remove, resume, whyNoPause } from './actions.ts';
import { RateDialog, RetryDialog } from './dialogs.tsx';
import type { Known } from './figures.ts';
import { canAbort, canDelete, canPause, isOver, isUnderWay } from './words.tsx';

type Opened = 'rate' | 'retry' | 'test' | null;

/** The buttons of the head by the state of the campaign, and the dialogs that they open. */
export function Actions({ campaign, known }: { campaign: Campaign; known: Known }) {
  const opened = useSignal<Opened>(null);
  const open = (dialog: Opened) => () => {
    opened.value = dialog;
  };
  const isBusy = useSignal(false);
  const retryable = useComputed(() => canRetry(campaign.status, known.progress.data.value)).value;
  const take = (changed: Campaign) => settle(known, changed);
  const close = open(null);

  async function pauseNow(): Promise<void> {
    const why = can('campaigns.pause') ? whyNoPause(campaign) : whyNot();
    if (why) return toast(why);
    if (isBusy.peek()) return;
    isBusy.value = true;
    try {
      take(await pause(campaign));
    } finally {
      isBusy.value = false;
    }
  }
  async function resumeNow(): Promise<void> {
    if (!can('campaigns.resume')) return toast(whyNot());
    if (isBusy.peek()) return;
    isBusy.value = true;
    try {
      take(await resume(campaign));
    } finally {
      isBusy.value = false;
    }
  }
  useKey('p', () => {
    const act = canPause(campaign.status) ? pauseNow : campaign.status === 'paused' ? resumeNow : null;
    void act?.().catch(toastError);
  });

  const { status } = campaign;
  const isPausable = canPause(status);
  return (
    <>
      {campaign.temporalUrl && (
        <Button kind="plain" icon="external" href={campaign.temporalUrl} isNewTab>
          Run in Temporal
        </Button>
      )}
      {(isUnderWay(status) || status === 'paused') && (
        <Button operation="campaigns.update" onClick={open('rate')}>
          Rate: {campaign.sendRatePerSecond === null ? 'no limit' : `${campaign.sendRatePerSecond} / s`}
        </Button>
      )}
      {canAbort(status) && (
        <Button
          kind="danger"
          operation="campaigns.abort"
          onClick={async () => {
            const aborted = await abort(campaign, known.progress.data.peek());
            if (aborted) take(aborted);
          }}
        >
          Abort…
        </Button>
      )}
      <More campaign={campaign} known={known} openTest={open('test')} />
      {isOver(status) && (
        <Button icon="copy" operation="campaigns.duplicate" onClick={() => duplicate(campaign)}>
          Duplicate
        </Button>
      )}
      {retryable && (
        <Button icon="refresh" operation="campaigns.retry" onClick={open('retry')}>
          Send again…
        </Button>
      )}
      {status === 'draft' && (
        <Button kind="first" icon="edit" href={editPath(campaign.id)}>
          Edit
        </Button>
      )}
      {isPausable && (
        <Button kind="first" icon="pause" keys="P" operation="campaigns.pause" isBusy={isBusy.value} onClick={pauseNow}>
          {isBusy.value ? 'Pausing' : 'Pause'}
        </Button>
      )}
      {status === 'paused' && (
        <Button
          kind="first"
          icon="play"
          operation="campaigns.resume"
          onClick={async () => take(await resume(campaign))}
        >
          Resume
        </Button>
      )}
      {opened.value === 'rate' && <RateDialog campaign={campaign} onClose={close} onDone={take} />}
      {opened.value === 'retry' && <RetryDialog campaign={campaign} known={known} onClose={close} onDone={take} />}
      {opened.value === 'test' && <CampaignTest campaign={campaign} onClose={close} />}
    </>
  );
}

function More({ campaign, known, openTest }: { campaign: Campaign; known: Known; openTest: () => void }) {
  const { status } = campaign;
  const hasSent = useComputed(() => (known.progress.data.value?.sent ?? 0) > 0);
  return (
    <Menu
      label="More for this campaign"
      items={[
        ...(status === 'scheduled' ? [{ label: 'Edit', icon: 'edit' as const, href: editPath(campaign.id) }] : []),
        {
          label: 'Send a test mail…',
          icon: 'email',
          operation: 'campaigns.test',
          onPick: openTest,
        },
        ...(isOver(status)
          ? []
          : [
              {
                label: 'Duplicate',
                icon: 'copy' as const,
                operation: 'campaigns.duplicate',
                onPick: () => duplicate(campaign),
              },
            ]),
        {
          label: 'Duplicate for those who did not open',
          icon: 'copy',
          operation: 'campaigns.duplicate',
          why: !hasSent.value && 'Nobody has got it yet.',
          onPick: () => duplicate(campaign, 'notOpened'),
        },
        {
          label: 'Delete…',
          icon: 'trash',
          isDangerous: true,
          operation: 'campaigns.delete',
          why: !canDelete(status) && 'Abort it first: it is under way.',
          onPick: async () => {
            if (await remove(campaign, known.progress.data.peek()?.sent ?? 0))
              navigate('/campaigns', { replace: true });
          },
        },
      ]}
    />
  );
}

function canRetry(status: Campaign['status'], progress: CampaignProgress | null): boolean {
  return (status === 'sent' || status === 'failed') && progress !== null && progress.failed + progress.unknown > 0;
}

/** The answer of an action has the campaign as it is now, and often the numbers with it. */
function settle({ campaign, progress }: Known, { progress: settled, ...changed }: Campaign): void {
  campaign.data.value = changed;
  const before = progress.data.peek();
  if (!before) return;
  const { sent, inFlight, remaining, nextAt } = settled ?? {
    sent: before.sent,
    inFlight: before.inFlight ?? 0,
    remaining: before.pending,
    nextAt: before.nextAt,
  };
  const etaSeconds = isUnderWay(changed.status) ? before.etaSeconds : null;
  progress.data.value = { ...before, status: changed.status, sent, inFlight, pending: remaining, nextAt, etaSeconds };
}

/** One key, where nothing is typed and no dialog is open. */
function useKey(key: string, press: () => void): void {
  const latest = useRef(press);
  latest.current = press;
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== key || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      const target = event.target as HTMLElement;
      if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
      if (document.querySelector('dialog[open], [popover]:popover-open')) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [key]);
}
