import type { Needs } from '../base/deps.ts';
import type { MailDeps } from '../mail/deps.ts';
import type { PeopleDeps } from '../people/deps.ts';

/** The ports and collections that functions of this room touch, with those of the rooms below. */
export type AutomationsDeps = PeopleDeps &
  MailDeps &
  Needs<
    'budgets',
    | 'automationCounts'
    | 'automationDefinitions'
    | 'awaitedDates'
    | 'enrollmentJobs'
    | 'enrollments'
    | 'eventDefinitions'
    | 'events'
    | 'forms'
    | 'triggers'
  >;
