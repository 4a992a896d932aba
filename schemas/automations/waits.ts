import { DELAY_DAYS_MAX, filterCriteria, line, offset, stepId, timeOfDay, URL_MAX } from './values.ts';

/** How long a step waits. */

export const delay = {
  title: 'AutomationDelay',
  type: 'object',
  required: ['value', 'unit'],
  properties: {
    value: { type: 'integer', minimum: 0, maximum: DELAY_DAYS_MAX * 1_440 },
    unit: { enum: ['minutes', 'mins', 'hours', 'days'] },
  },
} as const;

export const until = {
  title: 'AutomationUntil',
  type: 'object',
  description:
    'Of a wait_until. Either time: the next moment at which a clock shows it on one of the weekdays; a time that the zone skips is the next moment that it has, one that it has twice the first. Or property: a date of the person, with an offset; a moment that is over passes at once, and a person without a date, or with one more than 3,650 days away, leaves (exitReason no_date). At the end of the wait the moment is computed again from the person as they are then: a date or zone that moved later prolongs the wait, and a date that moved earlier is noticed only then.',
  properties: {
    time: timeOfDay,
    weekdays: {
      type: 'array',
      minItems: 1,
      maxItems: 7,
      uniqueItems: true,
      items: { enum: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
      description: 'Omitted: every day.',
    },
    timezone: {
      ...line(64),
      description:
        'IANA name; or contact: the zone in the timezoneProperty of the project, and that of the project for people without one (counted as zoneMissing). Omitted: the zone of the project.',
    },
    latestAfterDays: {
      type: 'integer',
      minimum: 1,
      maximum: 366,
      description: 'The wait ends after as many days, if no such moment comes before.',
    },
    property: {
      ...line(100),
      description: 'contactProperties.<name>, declared as a date or not declared; createdAt or updatedAt.',
    },
    offset,
  },
} as const;

export const waitEvent = {
  title: 'AutomationWaitEvent',
  type: 'object',
  description:
    'Of a wait_event: the first event of that name that matches filterCriteria lets the person go on at once, to nextStepId; when none has come by the end of timeout, the person goes on to timeoutStepId. An event at the end itself is in time.',
  properties: {
    eventName: {
      ...line(64),
      description:
        'An event of the project; or email.opened (by a person), email.clicked (by a person) or email.replied, of the mail of emailStepId.',
    },
    emailStepId: {
      ...stepId,
      description: 'Of email.opened, email.clicked and email.replied: the email step, which leads here.',
    },
    url: { ...line(URL_MAX), description: 'Of email.clicked: the link. Omitted: any.' },
    filterCriteria: {
      ...filterCriteria,
      description: 'About the event (event.properties.<name>) and the person as they are when it comes. Omitted: any.',
    },
    timeout: { ...delay, description: 'How long the person waits at most.' },
    since: {
      enum: ['step', 'entry'],
      description:
        'step: the event must come while the person waits here. entry: one that came since they entered counts too, but not the one that entered them; of the 1,000 newest. Omitted: step.',
    },
  },
} as const;
