import { createHash } from 'node:crypto';
import { uuid } from './account-a.ts';

/** The data of a provider B team. Every array is newest first, as the interface lists it. */
export interface AccountB {
  key: string;
  keyState: 'valid' | 'invalid' | 'sending_only';
  /** Status of the answer to an invalid key: recordings, clients and documentation disagree. */
  invalidStatus: 400 | 401 | 403;
  /** Requests in each second of the clock, all keys of the team together. */
  ratePerSecond: number;
  templates: TemplateB[];
  properties: PropertyB[];
  segments: SegmentB[];
  topics: TopicB[];
  contacts: ContactB[];
  /** When false, /segments does not exist yet and /audiences is the only way. */
  hasSegments: boolean;
}

interface TemplateB {
  id: string;
  name: string;
  status: 'draft' | 'published';
  alias: string | null;
  subject: string | null;
  html: string | null;
  text: string | null;
}

interface PropertyB {
  id: string;
  key: string;
  type: 'string' | 'number' | 'boolean';
  fallback: string | number | boolean | null;
}

interface SegmentB {
  id: string;
  name: string;
}

interface TopicB {
  id: string;
  name: string;
  description: string | null;
}

export interface ContactB {
  id: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  unsubscribed: boolean;
  properties: Record<string, string | number | boolean>;
  segmentIds: string[];
  createdAt: string;
}

let accounts = 0;

export function emptyAccountB(overrides: Partial<AccountB> = {}): AccountB {
  accounts += 1;
  const key = `re_${createHash('sha256').update(`${accounts}-${process.pid}`).digest('hex').slice(0, 32)}`;
  const none = { templates: [], properties: [], segments: [], topics: [], contacts: [] };
  const states = { keyState: 'valid' as const, invalidStatus: 400 as const, ratePerSecond: 2, hasSegments: true };
  return { key, ...states, ...none, ...overrides };
}

/** More topics and templates than a page without `limit` holds; a contact in two segments; every type of property. */
export function sampleAccountB(overrides: Partial<AccountB> = {}, contactCount = 40): AccountB {
  const segments = [
    { id: uuid('segment-customers'), name: 'Customers' },
    { id: uuid('segment-trial'), name: 'Trial' },
    { id: uuid('segment-empty'), name: 'Empty' },
  ];
  return emptyAccountB({
    templates: Array.from({ length: 23 }, (_, index) => sampleTemplate(index)),
    properties: [
      { id: uuid('property-plan'), key: 'plan', type: 'string', fallback: 'free' },
      { id: uuid('property-age'), key: 'age', type: 'number', fallback: null },
      { id: uuid('property-vip'), key: 'vip', type: 'boolean', fallback: null },
    ],
    segments,
    topics: Array.from({ length: 22 }, (_, index) => ({
      id: uuid(`topic-${index}`),
      name: `Topic ${index}`,
      description: index % 2 === 0 ? `About ${index}` : null,
    })),
    contacts: Array.from({ length: contactCount }, (_, index) => sampleContactB(contactCount - 1 - index, segments)),
    ...overrides,
  });
}

/** As little of everything as a whole migration can do with. */
export function smallAccountB(contactCount = 12): AccountB {
  const account = sampleAccountB({ ratePerSecond: 10_000 }, contactCount);
  const [segment] = account.segments;
  return {
    ...account,
    templates: account.templates.slice(0, 2),
    topics: account.topics.slice(0, 2),
    segments: segment ? [segment] : [],
    contacts: account.contacts.map((contact) => ({ ...contact, segmentIds: contact.segmentIds.slice(0, 1) })),
  };
}

export function sampleContactB(index: number, segments: SegmentB[]): ContactB {
  const [customers, trial] = segments;
  const segmentIds = [
    ...(customers && index % 2 === 0 ? [customers.id] : []),
    ...(trial && index % 4 === 0 ? [trial.id] : []),
  ];
  return {
    id: uuid(`contact-b-${index}`),
    email: index % 10 === 3 ? `person+${index}@example.org` : `person${index}@example.org`,
    firstName: index % 3 === 0 ? null : `First${index}`,
    lastName: index % 5 === 0 ? null : `Last${index}`,
    // Of those in audiences and of those in none: the newest of a page of each kind may be the same person.
    unsubscribed: index % 8 === 0 || index % 8 === 3,
    properties:
      index % 2 === 0 ? { plan: index % 4 === 0 ? 'pro' : 'free', age: 20 + index, vip: index % 6 === 0 } : {},
    segmentIds,
    createdAt: postgresTime(index),
  };
}

/** `2025-11-30 20:41:40.84216+00`: not ISO, and the fraction has no fixed length. */
function postgresTime(index: number): string {
  const iso = new Date(Date.UTC(2025, 10, 1) + index * 61_840).toISOString();
  return `${iso.slice(0, 19).replace('T', ' ')}.${String(100 + (index % 900)).replace(/0+$/, '')}+00`;
}

function sampleTemplate(index: number): TemplateB {
  const loops = index === 2 ? '<ul>{{#each ITEMS}}<li>{{{this}}}</li>{{/each}}</ul>' : '';
  return {
    id: uuid(`template-b-${index}`),
    name: `Template ${index}`,
    status: index % 5 === 0 ? 'draft' : 'published',
    alias: index === 1 ? 'welcome' : null,
    subject: index === 3 ? null : `Hello {{{NAME}}} ${index}`,
    html: index === 4 ? null : `<p>Hi {{{NAME}}}, number ${index}</p>${loops}`,
    text: null,
  };
}
