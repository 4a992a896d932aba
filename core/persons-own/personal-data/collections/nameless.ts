import type { PersonalData } from '../model.ts';

const OF_MEMBERS = {
  leftOut: 'A person of the organization, who is no recipient of a project.',
  removal: { by: 'nothing', because: 'Owners of the organization remove its members.' },
} as const;
const WRITTEN = {
  leftOut: 'Written by members and programs of the organization, for many recipients.',
  removal: { by: 'nothing', because: 'A member who named a person there has to remove the name.' },
} as const;

/** The organization's own content, its members, and the work of the installation. */
export const own = {
  organizations: { nameless: 'The name of an organization.' },
  projects: { nameless: 'The name and the settings of a project.' },
  apiKeys: { nameless: 'Names and hashes of keys.' },
  members: OF_MEMBERS,
  memberSessions: OF_MEMBERS,
  signInLinks: OF_MEMBERS,
  requestCounts: { nameless: 'Keyed hashes, and times.' },
  inboundUsage: { nameless: 'Networks of mail servers, and numbers.' },
  confirmations: { nameless: 'Hashes of calls.' },
  idempotency: {
    leftOut: 'Answers of calls of the last 24 hours, found by the key of the call alone.',
    removal: { by: 'expiry', field: 'expiresAt', after: '24 hours' },
  },
  upkeep: { nameless: 'Dates.' },
  starts: { nameless: 'Ids and dates.' },
  backlogSeats: { nameless: 'Processes and dates.' },
  processes: { nameless: 'The processes of the installation.' },
  senders: WRITTEN,
  domains: { nameless: 'Domains, their keys and DNS records.' },
  media: { nameless: 'Names and sizes of pictures.' },
  mediaFiles: { nameless: 'The bytes of pictures that the organization uploaded.' },
  mediaUsage: { nameless: 'Numbers.' },
  republications: { nameless: 'Ids of templates and of a member, and numbers.' },
  templates: WRITTEN,
  templateVersions: WRITTEN,
  templateLanguages: WRITTEN,
  linkSets: WRITTEN,
  campaigns: WRITTEN,
  campaignContents: WRITTEN,
  automations: WRITTEN,
  automationDefinitions: WRITTEN,
  automationCounts: { nameless: 'Numbers.' },
  awaitedDates: {
    leftOut: 'The id of a contact, and when a date of theirs comes. The file has the date itself.',
    removal: { by: 'deletion' },
  },
  enrollmentJobs: {
    leftOut: 'Ids of contacts that are to be entered, and addresses that a caller named and no contact had.',
    removal: { by: 'job', how: 'ids leave when the job is over, addresses a day later (core/automations/by-hand)' },
  },
  eventDefinitions: { nameless: 'Names and types of properties.' },
  triggers: {
    leftOut:
      'The id of a contact, and the automations that looked at a change. The file has the change and the enrollments.',
    removal: { by: 'expiry', field: 'doneAt', after: '30 days' },
  },
  previews: {
    leftOut: 'A sealed draft that a member looks at.',
    removal: { by: 'expiry', field: 'expiresAt', after: 'ten minutes' },
  },
  reportCounts: { nameless: 'Numbers, and replies of relays without addresses.' },
  linkCounts: {
    leftOut: 'Numbers by link. A link that only one person got may name the person.',
    removal: { by: 'job', how: 'counted again without the link (core/figures/reports/links)' },
  },
  reportStates: { nameless: 'Dates.' },
  sandboxReports: {
    leftOut: 'A sandbox address, which no person has, and the header of a test mail to it.',
    removal: { by: 'expiry', field: 'createdAt', after: '24 hours' },
  },
  dataRequests: {
    leftOut: 'The sealed address of a person who asked for this file, and a hash of the link.',
    removal: { by: 'expiry', field: 'expiresAt', after: '24 hours' },
  },
} satisfies Record<string, PersonalData>;
