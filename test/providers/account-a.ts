import { createHash } from 'node:crypto';

/** The data of a provider A account. Tests change it while a migration runs. */
export interface AccountA {
  key: string;
  revoked: boolean;
  scopes: string[];
  templates: TemplateA[];
  fields: FieldA[];
  lists: ListA[];
  groups: GroupA[];
  contacts: ContactA[];
  suppressions: SuppressionsA;
  exports: ExportOptions;
}

/** The lists that hold for the whole account, by the last part of their path. */
export interface SuppressionsA {
  unsubscribes: SuppressedA[];
  bounces: SuppressedA[];
  blocks: SuppressedA[];
  invalid_emails: SuppressedA[];
  spam_reports: SuppressedA[];
}

interface SuppressedA {
  email: string;
  /** In seconds. */
  created: number;
}

interface TemplateA {
  id: string;
  name: string;
  generation: 'legacy' | 'dynamic';
  versions: VersionA[];
}

interface VersionA {
  id: string;
  name: string;
  active: 0 | 1;
  subject: string;
  html: string;
  plain: string;
}

interface FieldA {
  id: string;
  name: string;
  type: 'Text' | 'Number' | 'Date';
}

interface ListA {
  id: string;
  name: string;
}

interface GroupA {
  id: number;
  name: string;
  description: string;
  isDefault: boolean;
  emails: string[];
}

export interface ContactA {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  phone: string;
  custom: Record<string, string | number>;
  listIds: string[];
}

interface ExportOptions {
  /** How often the state is `pending` before it is `ready`. */
  polls: number;
  parts: number;
  gzip: boolean;
  /** A message makes the next export end as `failure`. */
  failure: string | null;
  /** After so many downloads a file answers as expired. */
  downloadsMax: number;
  /** The group endpoint answers no more addresses than this. */
  suppressionsMax: number;
}

const allScopesA = [
  'templates.read',
  'templates.versions.read',
  'marketing.read',
  'asm.groups.read',
  'asm.groups.suppressions.read',
  'suppression.read',
  'suppression.unsubscribes.read',
  'suppression.bounces.read',
  'suppression.blocks.read',
  'suppression.invalid_emails.read',
  'suppression.spam_reports.read',
];

const exportDefaults: ExportOptions = {
  polls: 0,
  parts: 1,
  gzip: true,
  failure: null,
  downloadsMax: Number.POSITIVE_INFINITY,
  suppressionsMax: Number.POSITIVE_INFINITY,
};

let accounts = 0;

export function emptyAccountA(overrides: Partial<AccountA> = {}): AccountA {
  accounts += 1;
  const key = `SG.${'a'.repeat(16)}${String(accounts).padStart(6, '0')}.${sha(`${accounts}-${process.pid}`, 43)}`;
  const none = { templates: [], fields: [], lists: [], groups: [], contacts: [] };
  const suppressions = suppressedA({});
  const rest = { suppressions, exports: { ...exportDefaults } };
  return { key, revoked: false, scopes: [...allScopesA], ...none, ...rest, ...overrides };
}

/** An account with one of everything that makes trouble: see the wire facts on dynamic templates, versions and exports. */
export function sampleAccountA(imageHost = 'http://cdn.example.com', contactCount = 40): AccountA {
  const lists = [
    { id: uuid('list-news'), name: 'News' },
    { id: uuid('list-shop'), name: 'Shop' },
    { id: uuid('list-empty'), name: 'Nobody yet' },
  ];
  return emptyAccountA({
    templates: sampleTemplates(imageHost),
    fields: [
      { id: 'w1', name: 'num_orders', type: 'Number' },
      { id: 'w2', name: 'dob', type: 'Date' },
      { id: 'w3', name: 'Company Name', type: 'Text' },
    ],
    lists,
    groups: [
      group(1234, 'Weekly news', ['gone1@example.com', 'gone2@example.com', 'Gone3@Example.com'], true),
      group(1235, 'Offers', ['gone2@example.com']),
      group(1236, 'Silence', []),
    ],
    contacts: Array.from({ length: contactCount }, (_, index) => sampleContactA(index, lists)),
    suppressions: suppressedA({
      unsubscribes: ['Person1@Example.com', 'person8@example.com', 'stranger@example.com'],
      bounces: ['person2@example.com', 'person8@example.com'],
      blocks: ['person3@example.com'],
      invalid_emails: ['person4@example.com', 'no address'],
      spam_reports: ['person6@example.com'],
    }),
  });
}

/** The first address of a list came into it in September 2015, each further one a day later. */
export function suppressedA(emails: Partial<Record<keyof SuppressionsA, string[]>>): SuppressionsA {
  const rows = (list: string[] = []) => list.map((email, day) => ({ email, created: 1_443_651_141 + day * 86_400 }));
  return {
    unsubscribes: rows(emails.unsubscribes),
    bounces: rows(emails.bounces),
    blocks: rows(emails.blocks),
    invalid_emails: rows(emails.invalid_emails),
    spam_reports: rows(emails.spam_reports),
  };
}

/** As little of everything as a whole migration can do with. */
export function smallAccountA(contactCount = 12): AccountA {
  const account = sampleAccountA('http://cdn.example.com', contactCount);
  return {
    ...account,
    templates: account.templates.slice(0, 2),
    groups: account.groups.slice(0, 2),
    lists: account.lists.slice(0, 1),
    contacts: account.contacts.map((contact) => ({ ...contact, listIds: contact.listIds.slice(0, 1) })),
  };
}

export function sampleContactA(index: number, lists: ListA[]): ContactA {
  const [news, shop] = lists;
  const listIds = [...(news && index % 2 === 0 ? [news.id] : []), ...(shop && index % 5 === 0 ? [shop.id] : [])];
  const custom: ContactA['custom'] =
    index % 3 === 0 ? { num_orders: index, 'Company Name': `Company "${index}", Ltd` } : {};
  if (index % 4 === 0) custom.dob = '1990-02-01T00:00:00Z';
  return {
    id: uuid(`contact-${index}`),
    email: `person${index}@example.com`,
    firstName: index % 7 === 0 ? '' : `First${index}`,
    lastName: `Last${index}`,
    phone: index % 6 === 0 ? `+4915112345${String(index).padStart(3, '0')}` : '',
    custom,
    listIds,
  };
}

function sampleTemplates(imageHost: string): TemplateA[] {
  const image = `${imageHost}/0123456789abcdef/${uuid('image')}/600x400.png`;
  return [
    template('Welcome', 'dynamic', [
      version('old', 0, '<p>old</p>'),
      version('now', 1, `<p>Hello {{first_name}}</p><img src="${image}" alt="x"><a href="{{{unsubscribe}}}">out</a>`),
    ]),
    template('Orders', 'dynamic', [version('one', 1, '<ul>{{#each items}}<li>{{this.name}}</li>{{/each}}</ul>')]),
    template('Old letter', 'legacy', [
      version('one', 1, `<%body%><div style="background: url('${image}')">-name-</div>`),
    ]),
    template('Never written', 'dynamic', []),
    template('Switched off', 'dynamic', [version('one', 0, '<p>off</p>')]),
  ];
}

export function template(name: string, generation: TemplateA['generation'], versions: VersionA[]): TemplateA {
  const id = generation === 'dynamic' ? `d-${sha(name, 32)}` : uuid(name);
  return { id, name, generation, versions: versions.map((each) => ({ ...each, id: uuid(`${name}-${each.name}`) })) };
}

export function version(name: string, active: 0 | 1, html: string, subject = `Subject of ${name}`): VersionA {
  return { id: uuid(name), name, active, subject, html, plain: '' };
}

function group(id: number, name: string, emails: string[], isDefault = false): GroupA {
  return { id, name, description: `About ${name}`, isDefault, emails };
}

/** Stable ids, so that two runs of a test see the same account. */
export function uuid(name: string): string {
  const hex = sha(name, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function sha(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
