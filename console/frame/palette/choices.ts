import { acts, addressOf, pageActs } from '../../acts.ts';
import { loadScript } from '../../api.ts';
import type { IconName } from '../../parts/icon.tsx';
import { toastError } from '../../parts/over/toast.tsx';
import { navigate } from '../../router.ts';
import { can, session } from '../../session.ts';
import { type Theme, theme } from '../../theme.ts';
import { type Entry, entries } from '../navigation.ts';
import { askAndSignOut } from '../sign-out.ts';
import { summary } from '../summary.ts';

/** One line of the palette. */
export interface Choice {
  key: string;
  label: string;
  icon: IconName;
  /** At the end of the line. */
  note?: string | undefined;
  /** Other words that it is found by. */
  words?: string | undefined;
  go: () => unknown;
}

export interface Group {
  label: string;
  choices: readonly Choice[];
}

/** Whether each word that was typed is somewhere in the label or the other words. */
export function fits(text: string, { label, words = '' }: Pick<Choice, 'label' | 'words'>): boolean {
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = `${label} ${words}`.toLowerCase();
  return typed.every((word) => all.includes(word));
}

export function projectChoices(): readonly Choice[] {
  return (session.value?.organizations ?? []).flatMap(({ name: organizationName, projects }) =>
    projects.map(({ id, name }) => ({
      ...{ key: `project ${id}`, label: name, note: organizationName, words: organizationName, icon: 'mark' as const },
      go: () => navigate(`/console/${id}`),
    })),
  );
}

/** Pages that the navigation reaches through another one. */
const others: readonly Entry[] = [
  { label: 'Suppression groups', path: '/suppressions/groups', icon: 'suppress', words: 'unsubscribe topics' },
  { label: 'Senders', path: '/settings/senders', icon: 'email', words: 'from address name' },
  { label: 'Fields', path: '/settings/fields', icon: 'form', words: 'custom properties of contacts' },
  { label: 'Events', path: '/settings/events', icon: 'automation', words: 'custom track' },
];

export function pageChoices(): readonly Choice[] {
  return [...entries, ...others].map(({ label, path, icon, words }) => ({
    ...{ key: `page ${path}`, label, icon, words },
    go: () => navigate(path),
  }));
}

export function ownChoices(): readonly Choice[] {
  return pageActs.value.map(({ label, icon, run }) => ({ key: `own ${label}`, label, icon, go: run }));
}

/** Everything that this person may begin, here or on another page. */
export function actChoices(): readonly Choice[] {
  return [...runningCampaigns(), ...beginnings(), ...ownSettings()];
}

function beginnings(): readonly Choice[] {
  return acts
    .filter(({ operation }) => can(operation))
    .map((act) => ({
      ...{ key: `act ${act.label}`, label: act.label, icon: act.icon, words: act.words },
      go: () => navigate(addressOf(act)),
    }));
}

/** Campaigns that are under way are paused, and paused ones resumed, from any page. */
function runningCampaigns(): readonly Choice[] {
  return (summary.value?.campaigns ?? []).flatMap((campaign) => {
    const isPaused = campaign.status === 'paused';
    if (!can(isPaused ? 'campaigns.resume' : 'campaigns.pause')) return [];
    const choice: Choice = {
      ...{ key: `run ${campaign.id}`, label: `${isPaused ? 'Resume' : 'Pause'} ${campaign.name}` },
      ...{ icon: isPaused ? 'play' : 'pause', words: isPaused ? 'campaign continue' : 'campaign stop' },
      go: async () => {
        const { pause, resume } = await loadScript(() => import('../../pages/campaigns/campaign/actions.ts'));
        await (isPaused ? resume : pause)(campaign);
      },
    };
    return [choice];
  });
}

const themes: Record<Theme, string> = {
  system: 'Light or dark as the system',
  light: 'Use the light theme',
  dark: 'Use the dark theme',
};

function ownSettings(): readonly Choice[] {
  const others = (Object.keys(themes) as Theme[]).filter((value) => value !== theme.value);
  return [
    ...others.map((value) => ({
      ...{ key: `theme ${value}`, label: themes[value], icon: 'sun' as const, words: 'colours mode' },
      go: () => {
        theme.value = value;
      },
    })),
    { key: 'sign out', label: 'Sign out', icon: 'signout', words: 'log out leave', go: askAndSignOut },
  ];
}

export async function choose({ go }: Choice): Promise<void> {
  try {
    await go();
  } catch (error) {
    toastError(error);
  }
}
