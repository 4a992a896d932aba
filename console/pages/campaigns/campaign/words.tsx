import type { Campaign, CampaignStatus, RecipientStatus } from '../../../../client/index.ts';
import { counted, day, duration, hour } from '../../../parts/data/format.ts';
import { Badge, State, type Tone } from '../../../parts/data/state.tsx';

const statuses: Record<CampaignStatus, { word: string; tone: Tone }> = {
  draft: { word: 'Draft', tone: 'open' },
  scheduled: { word: 'Scheduled', tone: 'info' },
  sending: { word: 'Sending', tone: 'live' },
  sending_gradual: { word: 'Sending gradually', tone: 'live' },
  paused: { word: 'Paused', tone: 'warn' },
  sent: { word: 'Sent', tone: 'idle' },
  failed: { word: 'Failed', tone: 'bad' },
  aborted: { word: 'Aborted', tone: 'idle' },
};

export const statusChoices = Object.entries(statuses).map(([value, { word }]) => ({ value, label: word }));

export function StatusState({ status }: { status: CampaignStatus }) {
  return <State tone={statuses[status].tone}>{statuses[status].word}</State>;
}

export function StatusBadge({ status }: { status: CampaignStatus }) {
  return <Badge tone={statuses[status].tone}>{statuses[status].word}</Badge>;
}

const recipientStates: Record<RecipientStatus, { word: string; tone: Tone }> = {
  queued: { word: 'Queued', tone: 'open' },
  deferred: { word: 'Deferred', tone: 'warn' },
  sent: { word: 'Sent', tone: 'idle' },
  bounced: { word: 'Bounced', tone: 'bad' },
  failed: { word: 'Failed', tone: 'bad' },
  suppressed: { word: 'Suppressed', tone: 'idle' },
  unknown: { word: 'Unknown', tone: 'warn' },
};

export function recipientWord(status: RecipientStatus): string {
  return recipientStates[status].word;
}

export function RecipientState({ status }: { status: string }) {
  const known = recipientStates[status as RecipientStatus] ?? { word: status, tone: 'idle' };
  return <State tone={known.tone}>{known.word}</State>;
}

export function isUnderWay(status: CampaignStatus): boolean {
  return status === 'sending' || status === 'sending_gradual';
}

export function isOver(status: CampaignStatus): boolean {
  return status === 'sent' || status === 'failed' || status === 'aborted';
}

export function canPause(status: CampaignStatus): boolean {
  return status === 'scheduled' || isUnderWay(status);
}

export function canAbort(status: CampaignStatus): boolean {
  return canPause(status) || status === 'paused';
}

export function canEdit(status: CampaignStatus): boolean {
  return status === 'draft' || status === 'scheduled';
}

export function canDelete(status: CampaignStatus): boolean {
  return canEdit(status) || isOver(status);
}

/** 'Newsletter, Customers', 'Everybody', 'Those who did not open another campaign'. */
export function audienceWords(campaign: Pick<Campaign, 'toLists' | 'sendToGlobalList' | 'audience'>): string {
  if (campaign.audience) return 'Did not open another campaign';
  if (campaign.sendToGlobalList) return 'Everybody';
  return campaign.toLists.map(({ name }) => name).join(', ') || 'Nobody yet';
}

/** '3:55', '1:02:10'; above two days '6 days'. */
export function timeLeft(seconds: number): string {
  if (seconds >= 2 * 86_400) return duration(seconds * 1_000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, Math.ceil(seconds) % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** '3 minutes 55 seconds', for screen readers. */
export function timeLeftSpoken(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = Math.ceil(seconds) % 60;
  return [minutes > 0 && counted(minutes, 'minute'), (rest > 0 || minutes === 0) && counted(rest, 'second')]
    .filter(Boolean)
    .join(' ');
}

/** '14:12' of today, else with its day. */
export function clockOrDay(at: Date, now = new Date()): string {
  const clock = hour(at);
  return at.toDateString() === now.toDateString() ? clock : `${day(at)}, ${clock}`;
}
