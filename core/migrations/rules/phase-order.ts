import type { Migration, MigrationPhase, MigrationPhaseName, MigrationProvider } from '../model.ts';

const names = {
  providerA: ['customFields', 'templates', 'unsubscribeGroups', 'contactLists', 'contacts'],
  providerB: ['customFields', 'templates', 'audiences', 'contacts', 'topics', 'unsubscribed'],
} as const satisfies Record<MigrationProvider, readonly MigrationPhaseName[]>;

export type PhaseOf<Provider extends MigrationProvider> = (typeof names)[Provider][number];

export function newPhases(provider: MigrationProvider): MigrationPhase[] {
  return names[provider].map(newPhase);
}

function newPhase(name: MigrationPhaseName): MigrationPhase {
  const counts = { total: 0, succeeded: 0, failed: 0, skipped: 0, created: 0, updated: 0 };
  const lists = { errors: [], review: [], details: {} };
  return { name, status: 'pending', ...counts, ...lists, cursor: null, startedAt: null, completedAt: null };
}

export function isOver({ status }: MigrationPhase): boolean {
  return status === 'completed' || status === 'skipped';
}

/** The first phase that is not over; null when all are. */
export function nextPhase(phases: MigrationPhase[]): MigrationPhaseName | null {
  return phases.find((phase) => !isOver(phase))?.name ?? null;
}

/**
 * Where a retry begins. Without a name the stopped phase resumes at its page. With one, that phase and all after it restart, and unfinished
 * phases before it are left out. null: this provider has no such phase.
 */
export function phasesForRetry(
  phases: MigrationPhase[],
  fromPhase: MigrationPhaseName | undefined,
  now: Date,
): MigrationPhase[] | null {
  if (fromPhase === undefined)
    return phases.map((phase) => (phase.status === 'failed' ? { ...phase, status: 'pending' } : phase));
  const from = phases.findIndex(({ name }) => name === fromPhase);
  if (from === -1) return null;
  return phases.map((phase, index) => {
    if (index >= from) return newPhase(phase.name);
    return isOver(phase) ? phase : { ...phase, status: 'skipped', completedAt: now };
  });
}

/** A job with partly failed phases is complete, with errors. */
export function finalStatus(phases: MigrationPhase[]): 'completed' | 'completed_with_errors' {
  return phases.some(({ failed }) => failed > 0) ? 'completed_with_errors' : 'completed';
}

/** One line for people: `contacts: 300 of 1,000 (2 failed)`. */
export function describePhase({ name, status, total, succeeded, failed, skipped }: MigrationPhase): string {
  const done = (succeeded + failed + skipped).toLocaleString('en-US');
  const rest = [failed > 0 ? `${failed} failed` : '', skipped > 0 ? `${skipped} skipped` : '']
    .filter(Boolean)
    .join(', ');
  return `${name}: ${status}, ${done} of ${total.toLocaleString('en-US')}${rest && ` (${rest})`}`;
}

/**
 * For the Web UI: the state of the job without opening the database. Only texts of our own: the part after the colon, written by the
 * source, stays in the job.
 */
export function describeMigration({ provider, status, phases, attention }: DescribedMigration): string {
  const why = attention === null ? [] : [`needs attention: ${attention.split(': ')[0]}`];
  return [`**${provider}**: ${status}`, ...why, '', ...phases.map((phase) => `- ${describePhase(phase)}`)].join('\n');
}

type DescribedMigration = Pick<Migration, 'provider' | 'status' | 'phases' | 'attention'>;
