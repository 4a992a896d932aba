import type { Migration, MigrationPhaseName } from '../../../client/index.ts';
import type { Tone } from '../../parts/data/state.tsx';

export const states: Record<Migration['status'], { tone: Tone; word: string }> = {
  queued: { tone: 'open', word: 'Waits to start' },
  running: { tone: 'live', word: 'Running' },
  needs_attention: { tone: 'bad', word: 'Needs attention' },
  completed: { tone: 'good', word: 'Completed' },
  completed_with_errors: { tone: 'warn', word: 'Completed, some items refused' },
  failed: { tone: 'bad', word: 'Failed' },
  cancelled: { tone: 'idle', word: 'Cancelled' },
};

export const phases: Record<MigrationPhaseName, string> = {
  customFields: 'Custom fields',
  templates: 'Templates',
  unsubscribeGroups: 'Unsubscribe groups',
  contactLists: 'Contact lists',
  audiences: 'Audiences',
  contacts: 'Contacts',
  topics: 'Topics',
  unsubscribed: 'Unsubscribed people',
};

export const providers: Record<Migration['provider'], string> = {
  providerA: 'Provider A (SendGrid)',
  providerB: 'Provider B (Resend)',
};

/** Of a provider as the interface names it. */
export function providerName(name: string): string {
  return (providers as Record<string, string | undefined>)[name] ?? name;
}

export const isOver = ({ status }: Pick<Migration, 'status'>): boolean =>
  status !== 'queued' && status !== 'running' && status !== 'needs_attention';

/** Retrying makes sense for these; the others continue by themselves or are done. */
export const canRetry = ({ status }: Pick<Migration, 'status'>): boolean =>
  status === 'needs_attention' || status === 'failed' || status === 'cancelled';
