import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { Campaign, Template } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { people } from '../../parts/data/format.ts';
import { navigate, to } from '../../router.ts';
import type { Choice, Group } from './choices.ts';

const PAUSE_MS = 200;
const TEXT_MIN = 2;
const FOUND_MAX = 5;
const GLOBAL = 'GLOBAL_CONTACT_LIST';

interface Asked {
  given: { search: string; limit: number };
  options: { signal: AbortSignal };
  /** Asked for once: two kinds need them. */
  campaigns: Promise<readonly Campaign[]>;
}

interface Kind {
  label: string;
  search: (asked: Asked) => Promise<Choice[]>;
}

/** The things that the server finds by a part of their name, or a person by a part of the address. */
const kinds: readonly Kind[] = [
  {
    label: 'Campaigns',
    search: async ({ campaigns }) =>
      (await campaigns).map(({ id, name }) => ({
        ...{ key: `campaign ${id}`, label: name, icon: 'campaign' },
        go: () => navigate(to(`/campaigns/${id}`)),
      })),
  },
  {
    label: 'Lists and segments',
    search: async ({ given, options }) =>
      (await api.contactLists.list(given, options)).lists.map(({ id, name, type, contactCount }) => ({
        ...{ key: `list ${id}`, label: name, icon: 'segment' },
        note: `${type === 'segment' ? 'Segment' : 'List'}, ${people(contactCount)}`,
        go: () => navigate(id === GLOBAL ? to('/contacts') : to(`/lists/${id}`)),
      })),
  },
  {
    label: 'Templates',
    search: async ({ given, options, campaigns }) => {
      const [{ templates }, found] = await Promise.all([api.templates.list(given, options), campaigns]);
      return templates
        .filter((template) => !found.some((campaign) => isMadeWith(template, campaign)))
        .map(({ templateId, templateName, templateType }) => ({
          ...{ key: `template ${templateId}`, label: templateName, icon: 'template' },
          note: templateType === 'marketing' ? 'Campaigns' : 'Single mail',
          go: () => navigate(to(`/templates/${templateId}`)),
        }));
    },
  },
  {
    label: 'Automations',
    search: async ({ given, options }) =>
      (await api.automations.list(given, options)).automations.map(({ id, name }) => ({
        ...{ key: `automation ${id}`, label: name, icon: 'automation' },
        go: () => navigate(to(`/automations/${id}`)),
      })),
  },
  {
    label: 'People',
    search: async ({ given, options }) =>
      (await api.contacts.list(given, options)).contacts.map(({ id, email, firstName, lastName }) => ({
        ...{ key: `contact ${id}`, label: email, icon: 'contacts' },
        note: [firstName, lastName].filter(Boolean).join(' '),
        go: () => navigate(to('/contacts', { person: id })),
      })),
  },
];

const ONE_CALL_MS = 1_000;

/** A campaign that was made with its own HTML has a template of its name: the campaign alone is offered. */
export function isMadeWith(
  template: Pick<Template, 'templateId' | 'templateName' | 'createdAt'>,
  campaign: Pick<Campaign, 'templateId' | 'name' | 'createdAt'>,
): boolean {
  const isItsName = template.templateId === campaign.templateId && template.templateName === campaign.name;
  return isItsName && Math.abs(Date.parse(template.createdAt) - Date.parse(campaign.createdAt)) < ONE_CALL_MS;
}

export interface Search {
  groups: Signal<readonly Group[]>;
  isOpen: Signal<boolean>;
  /** Kinds that the server did not answer for. */
  failed: Signal<readonly string[]>;
}

/** Asks for every kind when the typing pauses, from the second letter on. */
export function useSearch(isWanted: boolean, text: string): Search {
  const groups = useSignal<readonly Group[]>([]);
  const isOpen = useSignal(false);
  const failed = useSignal<readonly string[]>([]);
  const asked = isWanted && text.length >= TEXT_MIN ? text : null;
  useLayoutEffect(() => {
    isOpen.value = asked !== null;
    failed.value = [];
    if (asked === null) {
      groups.value = [];
      return;
    }
    const gone = new AbortController();
    const timer = setTimeout(async () => {
      const given = { search: asked, limit: FOUND_MAX };
      const options = { signal: gone.signal };
      const campaigns = api.campaigns.list(given, options).then((page) => page.campaigns);
      const answers = await Promise.allSettled(kinds.map(({ search }) => search({ given, options, campaigns })));
      if (gone.signal.aborted) return;
      groups.value = kinds.map(({ label }, index) => {
        const answer = answers[index];
        return { label, choices: answer?.status === 'fulfilled' ? answer.value : [] };
      });
      failed.value = kinds.filter((_, index) => answers[index]?.status === 'rejected').map(({ label }) => label);
      isOpen.value = false;
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [asked]);
  return { groups, isOpen, failed };
}
