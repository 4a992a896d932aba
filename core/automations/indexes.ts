import { type Indexes, onlyWith } from '../base/indexes.ts';
import { DAY_SECONDS } from '../base/time/durations.ts';

export const automationIndexes = {
  automations: {
    project: {
      key: { projectId: 1, status: 1, _id: -1 },
      because: 'Automations of a project, by status and newest first.',
    },
    due: {
      key: { projectId: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'Automations whose enrollments must follow a new status.',
    },
  },
  automationDefinitions: {
    automation: {
      key: { projectId: 1, automationId: 1 },
      because: 'The earlier versions of an automation: the templates that people inside it may still get.',
    },
    drafts: {
      key: { projectId: 1, unsubscribeGroupId: 1 },
      ...onlyWith('isDraft'),
      because: 'The drafts of a project: the groups and pictures that nothing else may name.',
    },
  },
  automationCounts: {
    automation: { key: { projectId: 1, automationId: 1 }, because: 'The counts of an automation and its steps.' },
  },
  enrollments: {
    inside_once: {
      key: { projectId: 1, automationId: 1, contactId: 1 },
      unique: true,
      partialFilterExpression: { live: true },
      because: 'A contact is enrolled in an automation at most once at a time.',
    },
    once_ever: {
      key: { projectId: 1, automationId: 1, contactId: 1 },
      unique: true,
      partialFilterExpression: { once: true },
      because:
        'A contact enters an automation of reentry "once" at most once, also by two triggers at the same moment.',
    },
    ended: {
      key: { projectId: 1, automationId: 1, contactId: 1, endedAt: -1 },
      partialFilterExpression: { endedAt: { $gt: new Date(0) } },
      because: 'When a contact left an automation: whether it may enter again.',
    },
    automation: {
      key: { projectId: 1, automationId: 1, status: 1, _id: -1 },
      because: 'The enrollments of an automation, by status and newest first.',
    },
    step: {
      key: { projectId: 1, automationId: 1, stepId: 1, _id: -1 },
      partialFilterExpression: { live: true },
      because: 'The people on one step, newest first.',
    },
    contact: {
      key: { projectId: 1, contactId: 1 },
      because: 'The active enrollments of a contact: deletion and unsubscribes.',
    },
    awaiting: {
      key: { projectId: 1, contactId: 1, awaits: 1 },
      ...onlyWith('awaits'),
      because: 'The enrollments of a contact that wait for what just happened.',
    },
    due: {
      key: { projectId: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'Enrollments whose run must be started or woken.',
    },
    backlog: {
      key: { projectId: 1, automationId: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'How many enrollments of an automation wait for their run.',
    },
  },
  enrollmentJobs: {
    due: {
      key: { projectId: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'People who are yet to be entered by hand, and names that are to be forgotten.',
    },
    expiry: {
      key: { completedAt: 1 },
      expireAfterSeconds: 30 * DAY_SECONDS,
      because: 'The progress of a job can be read for 30 days after its end.',
    },
  },
  awaitedDates: {
    due: {
      key: { projectId: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'Dates of contacts that let them into an automation.',
    },
    automation: {
      key: { projectId: 1, automationId: 1 },
      because: 'The dates of an automation that is over: removal.',
    },
  },
  triggers: {
    due: {
      key: { projectId: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'Contact changes that automations have yet to process.',
    },
    backlog: {
      key: { projectId: 1, automationIds: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'How many triggers an automation has before it.',
    },
    expiry: {
      key: { doneAt: 1 },
      expireAfterSeconds: 30 * DAY_SECONDS,
      because: 'A processed trigger expires after 30 days.',
    },
  },
  eventDefinitions: {
    event_name: { key: { projectId: 1, eventName: 1 }, unique: true, because: 'One definition for each event name.' },
  },
  events: {
    contact_newest: {
      key: { projectId: 1, contactId: 1, createdAt: -1, _id: -1 },
      because: 'The events of a contact, newest first; erasure.',
    },
    name_newest: {
      key: { projectId: 1, eventName: 1, createdAt: -1 },
      because: 'The names of recorded events, and the newest events of a name.',
    },
    due: {
      key: { projectId: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'Events that automations have yet to process.',
    },
    backlog: {
      key: { projectId: 1, automationIds: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'How many events an automation has before it.',
    },
  },
} satisfies Indexes;
