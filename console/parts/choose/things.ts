import type {
  Automation,
  Campaign,
  Contact,
  ContactList,
  EventDefinition,
  Form,
  Member,
  Outcome,
  Sender,
  SuppressionGroup,
  Template,
  Webhook,
} from '../../../client/index.ts';
import { api } from '../../api.ts';

export interface Item<T = unknown> {
  value: string;
  label: string;
  /** People, next to the label. */
  n?: number | undefined;
  thing?: T;
}

/** Things of one kind: the server searches them by a part of their name, newest first, and has the name of each id. */
export interface Things<T> {
  /** In a sentence: 'list'. */
  one: string;
  /** The act that makes one, on a page of its own. */
  made?: { operation: string; label: string };
  /** Some that fit; the first of all for an empty text. */
  search(text: string, signal: AbortSignal): PromiseLike<readonly Item<T>[]>;
  /** null when there is none with this id any more. */
  get(id: string, signal: AbortSignal): PromiseLike<Item<T> | null>;
}

export const FOUND_MAX = 20;
export const EVERYBODY = 'GLOBAL_CONTACT_LIST';

const templateWords = { marketing: 'campaign template', transactional: 'template for single mail' } as const;

/** Lists and segments, but for the one of everybody. */
export const lists = listsOf({});
export const listsWithoutSegments = listsOf({ type: 'list' });
export const audiences = listsOf({ hasEverybody: true });

export const templates = templatesOf({});
export const marketingTemplates = templatesOf({ templateType: 'marketing' });
export const transactionalTemplates = templatesOf({ templateType: 'transactional' });

export const suppressionGroups = groupsOf(() => true);
/** But for the three that every project has. */
export const ownGroups = groupsOf(({ isGlobal, isDefault, isMarketing }) => !isGlobal && !isDefault && !isMarketing);
/** Groups that a mail may name, and the default group. */
export const mailedGroups = groupsOf(({ isGlobal, isMarketing }) => !isGlobal && !isMarketing);

export const senders: Things<Sender> = {
  one: 'sender',
  made: { operation: 'senders.create', label: 'Make a sender' },
  search: async (text, signal) => {
    const found = await api.senders.list({ ...asked(text), newestFirst: true }, { signal });
    return found.senders.map(senderItem);
  },
  get: (id, signal) => named(api.safe.senders.get(id, { signal }), senderItem),
};

export const campaigns: Things<Campaign> = {
  one: 'campaign',
  search: async (text, signal) => (await api.campaigns.list(asked(text), { signal })).campaigns.map(namedItem),
  get: (id, signal) => named(api.safe.campaigns.get(id, { signal }), namedItem),
};

export const automations: Things<Automation> = {
  one: 'automation',
  search: async (text, signal) => (await api.automations.list(asked(text), { signal })).automations.map(namedItem),
  get: (id, signal) => named(api.safe.automations.get(id, {}, { signal }), namedItem),
};

/** The campaign or the automation of a mail; '' for the other of the two. */
export interface Mailing {
  campaignId: string;
  automationId: string;
}

/** Campaigns and automations together, by the first letter of their kind and their id. */
export const mailings: Things<Mailing> = {
  one: 'campaign or automation',
  async search(text, signal) {
    const [first, second] = await Promise.all([automations.search(text, signal), campaigns.search(text, signal)]);
    return [...first.map(ofAutomation), ...second.map(ofCampaign)];
  },
  async get(value, signal) {
    const id = value.slice(1);
    const item = await (value.startsWith('a') ? automations : campaigns).get(id, signal);
    return item && (value.startsWith('a') ? ofAutomation : ofCampaign)(item);
  },
};

export function mailingOf({ campaignId, automationId }: Mailing): string {
  if (automationId) return `a${automationId}`;
  return campaignId && `c${campaignId}`;
}

function ofAutomation({ value, label }: Item): Item<Mailing> {
  const thing = { campaignId: '', automationId: value };
  return { value: mailingOf(thing), label: `${label}, an automation`, thing };
}

function ofCampaign({ value, label }: Item): Item<Mailing> {
  const thing = { campaignId: value, automationId: '' };
  return { value: mailingOf(thing), label: `${label}, a campaign`, thing };
}

/** The newest ones: the interface does not search forms. */
export const forms: Things<Form> = {
  one: 'form',
  made: { operation: 'forms.create', label: 'Make a form' },
  search: async (text, signal) => {
    const found = (await api.forms.list({ limit: 100 }, { signal })).forms;
    return found.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).map(namedItem);
  },
  get: (id, signal) => named(api.safe.forms.get(id, { signal }), namedItem),
};

/** By a part of their address. */
export const contacts: Things<Contact> = {
  one: 'contact',
  search: async (text, signal) => (await api.contacts.list(asked(text), { signal })).contacts.map(contactItem),
  get: (id, signal) => named(api.safe.contacts.get(id, { signal }), contactItem),
};

/** By name: filters name them, and what was recorded stays when a definition is deleted. */
export const events: Things<EventDefinition> = {
  one: 'event',
  made: { operation: 'events.create', label: 'Make an event' },
  search: async (text, signal) =>
    (await api.events.list(asked(text), { signal })).events.map((thing) => ({
      ...{ value: thing.eventName, label: thing.eventName, thing },
    })),
  get: async (eventName) => ({ value: eventName, label: eventName }),
};

/** All of them are few: they are searched here. */
export const webhooks: Things<Webhook> = {
  one: 'webhook',
  made: { operation: 'webhooks.create', label: 'Make a webhook' },
  search: async (text, signal) =>
    (await api.webhooks.list({ limit: 100 }, { signal })).webhooks
      .filter(({ url }) => url.includes(text))
      .slice(0, FOUND_MAX)
      .map((thing) => ({ value: thing.id, label: thing.url, thing })),
  get: (id, signal) =>
    named(api.safe.webhooks.get(id, { signal }), (thing) => ({ value: thing.id, label: thing.url, thing })),
};

export const members: Pick<Things<Member>, 'one' | 'get'> = {
  one: 'member',
  get: (id, signal) =>
    named(api.safe.members.get(id, { signal }), (thing) => ({ value: thing.id, label: thing.email, thing })),
};

function listsOf({ type, hasEverybody }: { type?: 'list'; hasEverybody?: true }): Things<ContactList> {
  return {
    one: type ?? 'list or segment',
    made: { operation: 'contactLists.create', label: 'Make a list' },
    async search(text, signal) {
      const isEverybodyAsked = hasEverybody && 'everybody'.includes(text.toLowerCase());
      const [found, everybody] = await Promise.all([
        api.contactLists.list({ ...asked(text), newestFirst: true, ...(type && { type }) }, { signal }),
        isEverybodyAsked ? api.contactLists.get(EVERYBODY, { signal }) : null,
      ]);
      return [...(everybody ? [everybody] : []), ...found.lists.filter(({ id }) => id !== EVERYBODY)].map(listItem);
    },
    get: (id, signal) => named(api.safe.contactLists.get(id, { signal }), listItem),
  };
}

function templatesOf({ templateType }: { templateType?: Template['templateType'] }): Things<Template> {
  return {
    one: templateType ? templateWords[templateType] : 'template',
    made: { operation: 'templates.create', label: 'Make a template' },
    async search(text, signal) {
      const query = { ...asked(text), ...(templateType && { templateType }) };
      return (await api.templates.list(query, { signal })).templates.map(templateItem);
    },
    get: (id, signal) => named(api.safe.templates.get(id, {}, { signal }), templateItem),
  };
}

function groupsOf(isOne: (group: SuppressionGroup) => boolean): Things<SuppressionGroup> {
  return {
    one: 'group',
    made: { operation: 'suppressionGroups.create', label: 'Make a group' },
    search: async (text, signal) => {
      const found = await api.suppressionGroups.list({ ...asked(text), newestFirst: true }, { signal });
      return found.groups.filter(isOne).map(groupItem);
    },
    get: (id, signal) => named(api.safe.suppressionGroups.get(id, { signal }), groupItem),
  };
}

function asked(text: string): { limit: number; search?: string } {
  return { limit: FOUND_MAX, ...(text && { search: text }) };
}

async function named<T>(asking: Promise<Outcome<T>>, itemOf: (thing: T) => Item<T>): Promise<Item<T> | null> {
  const { data, error } = await asking;
  if (error === null) return itemOf(data);
  if (error.status === 404) return null;
  throw error;
}

export function listItem<T extends Pick<ContactList, 'id' | 'name' | 'contactCount'>>(thing: T): Item<T> {
  const { id, name, contactCount } = thing;
  return { value: id, label: id === EVERYBODY ? 'Everybody' : name, n: contactCount, thing };
}

export function templateItem(thing: Template): Item<Template> {
  const { templateId, templateName, publishedVersion } = thing;
  return { value: templateId, label: `${templateName}${publishedVersion === null ? ', not published' : ''}`, thing };
}

function contactItem(thing: Contact): Item<Contact> {
  return { value: thing.id, label: thing.email, thing };
}

function senderItem(thing: Sender): Item<Sender> {
  const { id, name, email } = thing;
  return { value: id, label: name ? `${name} (${email})` : email, thing };
}

function groupItem(thing: SuppressionGroup): Item<SuppressionGroup> {
  return { value: thing.groupId, label: thing.name, thing };
}

function namedItem<T extends { id: string; name: string }>(thing: T): Item<T> {
  return { value: thing.id, label: thing.name, thing };
}
