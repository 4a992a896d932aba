import type { OperationName } from './operations.ts';

interface AuthorRule {
  /** Operations that authors may call (schemas/operations.ts), though not with this effect. */
  operations: readonly OperationName[];
  /** Completes "An author may not ...". */
  may: string;
  instead: string;
}

/**
 * An author prepares, and nothing of it leaves without an act of an editor. So a call that authors may make is judged by its effect:
 * `refuseAuthor` (core/base/maker.ts) is asked where the effect is decided, within the write that has it.
 */
export const authorRules = {
  publish: {
    operations: ['campaigns.create', 'campaigns.update'],
    may: 'publish or schedule a campaign',
    instead: 'save it with publish: false',
  },
  changePublished: {
    operations: ['campaigns.update'],
    may: 'change a campaign that is published',
    instead: 'duplicate it',
  },
  makePublic: {
    operations: ['contactLists.create'],
    may: 'show a list on the preference page',
    instead: 'leave isPublic out',
  },
  activate: {
    operations: ['automations.create'],
    may: 'activate an automation',
    instead: 'save it with active: false',
  },
  changeActivated: {
    operations: ['automations.update'],
    may: 'change an automation that has been active',
    instead: 'save the change with draft: true',
  },
  mailOthers: {
    operations: ['campaigns.test', 'templates.test'],
    may: 'send a test to people who are not members',
    instead: 'name addresses of members',
  },
  startAutomations: {
    operations: ['contacts.bulkUpdate', 'contacts.import'],
    may: 'start automations for contacts',
    instead: 'leave runWorkflow out',
  },
} as const satisfies Record<string, AuthorRule>;

export type AuthorRuleName = keyof typeof authorRules;
