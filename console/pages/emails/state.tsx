import type { Email, EmailStatus } from '../../../client/index.ts';
import { State, type Tone } from '../../parts/data/state.tsx';

export const states: Record<EmailStatus, { tone: Tone; word: string }> = {
  scheduled: { tone: 'open', word: 'Scheduled' },
  queued: { tone: 'open', word: 'Queued' },
  deferred: { tone: 'warn', word: 'Deferred' },
  sent: { tone: 'idle', word: 'Sent' },
  delivered: { tone: 'idle', word: 'Delivered' },
  bounced: { tone: 'bad', word: 'Bounced' },
  failed: { tone: 'bad', word: 'Failed' },
  suppressed: { tone: 'warn', word: 'Suppressed' },
  unknown: { tone: 'warn', word: 'Unknown' },
  cancelled: { tone: 'idle', word: 'Cancelled' },
};

export function EmailState({ status }: { status: EmailStatus }) {
  const { tone, word } = states[status];
  return <State tone={tone}>{word}</State>;
}

/** '550 5.1.1 user unknown' */
export function wordsOf({ code, enhanced, text }: NonNullable<Email['reply']>): string {
  return [code, text.startsWith(`${enhanced} `) ? null : enhanced, text].filter(Boolean).join(' ');
}
