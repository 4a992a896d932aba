import type { Campaign, CampaignProgress } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { count, people } from '../../../parts/data/format.ts';
import { confirm } from '../../../parts/over/confirm.tsx';
import { toast } from '../../../parts/over/toast.tsx';
import { navigate, to } from '../../../router.ts';
import { canPause } from './words.tsx';

type Named = Pick<Campaign, 'id' | 'name' | 'status'>;

/** Answers when nothing is in flight, or after half a minute with the number that is. */
export async function pause({ id, name }: Named): Promise<Campaign> {
  const paused = await api.campaigns.pause(id);
  const { inFlight, remaining } = paused.progress ?? { inFlight: 0, remaining: 0 };
  const left = `${people(remaining)} wait${remaining === 1 ? 's' : ''}`;
  toast(
    inFlight === 0
      ? `Paused ${name}: nothing is in flight, ${left}`
      : `Paused ${name}: ${count(inFlight)} mails are still with the relay, ${left}`,
    { kind: 'good' },
  );
  return paused;
}

export async function resume({ id, name }: Named): Promise<Campaign> {
  const resumed = await api.campaigns.resume(id);
  toast(`Resumed ${name}`, { kind: 'good' });
  return resumed;
}

/** null: it was not done. */
export async function abort({ id, name }: Named, progress: CampaignProgress | null): Promise<Campaign | null> {
  let aborted: Campaign | null = null;
  const waiting = progress?.pending ?? 0;
  const sent = progress?.sent ?? 0;
  await confirm({
    title: `Abort ${name}`,
    text:
      waiting > 0
        ? `${people(waiting)} will not get this mail; ${people(sent)} already got it. An aborted campaign cannot be resumed.`
        : 'It will not be sent. An aborted campaign cannot be resumed; a copy of it can be sent.',
    action: waiting > 0 ? `Abort for ${people(waiting)}` : 'Abort',
    isDangerous: true,
    run: async () => {
      aborted = await api.campaigns.abort(id);
    },
  });
  if (aborted) toast(`Aborted ${name}`, { kind: 'good' });
  return aborted;
}

export async function duplicate({ id, name }: Named, who?: 'notOpened'): Promise<void> {
  const copy = await api.campaigns.duplicate(id, who && { to: who });
  toast(who ? `Made a draft for those who did not open ${name}` : `Made a draft like ${name}`, { kind: 'good' });
  navigate(editPath(copy.id));
}

/** Whether it was done. */
export async function remove({ id, name, status }: Named, sent: number): Promise<boolean> {
  const done = await confirm({
    title: `Delete ${name}`,
    text:
      sent > 0
        ? `${people(sent)} got this mail. Its figures are no longer shown; their mails stay under Emails.`
        : status === 'scheduled'
          ? 'It will not be sent.'
          : 'Nobody has got it. Its content is deleted.',
    action: sent > 0 ? `Delete the figures of ${people(sent)}` : 'Delete',
    isDangerous: true,
    run: () => api.campaigns.delete(id),
  });
  if (done) toast(`Deleted ${name}`, { kind: 'good' });
  return done;
}

export function editPath(id: string) {
  return to(`/campaigns/${id}/edit`);
}

/** Why it cannot be paused now; null when it can. */
export function whyNoPause({ status }: Pick<Campaign, 'status'>): string | null {
  return canPause(status) ? null : 'Only a campaign that is scheduled or sending can be paused.';
}
