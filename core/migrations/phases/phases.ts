import type { PhaseRun } from '../run/progress.ts';
import { contactsOfA } from './contacts-a.ts';
import { contactsOfB } from './contacts-b.ts';
import { customFields } from './fields.ts';
import { topics, unsubscribeGroups } from './groups.ts';
import { audiences, contactLists } from './lists.ts';
import { templates } from './templates.ts';
import { unsubscribed } from './unsubscribed.ts';

/** Returns whether anything was selected. */
type PhaseWork = (run: PhaseRun) => Promise<boolean>;

const work: Record<string, PhaseWork> = {
  'providerA customFields': customFields,
  'providerA templates': templates,
  'providerA unsubscribeGroups': unsubscribeGroups,
  'providerA contactLists': contactLists,
  'providerA contacts': contactsOfA,
  'providerB customFields': customFields,
  'providerB templates': templates,
  'providerB audiences': audiences,
  'providerB contacts': contactsOfB,
  'providerB topics': topics,
  'providerB unsubscribed': unsubscribed,
};

export function phaseWork(run: PhaseRun): Promise<boolean> {
  const phase = work[`${run.migration.provider} ${run.phase.name}`];
  if (!phase) throw new Error(`${run.migration.provider} has no phase ${run.phase.name}`);
  return phase(run);
}
