import type { PhaseRun } from '../progress/progress.ts';
import type { PhaseOf } from '../rules/phase-order.ts';
import type { Source, SourceA, SourceB } from '../source.ts';
import { contactsOfA } from './contacts-a.ts';
import { contactsOfB } from './contacts-b.ts';
import { customFields } from './fields.ts';
import { topics, unsubscribeGroups } from './groups.ts';
import { audiences, contactLists } from './lists.ts';
import { templates } from './templates.ts';
import { unsubscribed } from './unsubscribed.ts';

/** Returns whether anything was selected. */
type Work<From extends Source> = (run: PhaseRun, source: From) => Promise<boolean>;

const workA: Record<PhaseOf<'providerA'>, Work<SourceA>> = {
  customFields,
  templates,
  unsubscribeGroups,
  contactLists,
  contacts: contactsOfA,
};

const workB: Record<PhaseOf<'providerB'>, Work<SourceB>> = {
  customFields,
  templates,
  audiences,
  contacts: contactsOfB,
  topics,
  unsubscribed,
};

export function workOnPhase(run: PhaseRun, source: Source): Promise<boolean> {
  const { name } = run.phase;
  switch (source.provider) {
    case 'providerA':
      return workA[name as PhaseOf<'providerA'>](run, source);
    case 'providerB':
      return workB[name as PhaseOf<'providerB'>](run, source);
  }
}
