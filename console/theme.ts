import { computed, effect, signal } from '@preact/signals';

/** `theme-first.ts` reads the same name before the page is drawn. */
const STORED = 'everpost-theme';
const darkSystem = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(darkSystem.matches);
darkSystem.addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches;
});

export type Theme = 'system' | 'light' | 'dark';

/** The wish of the person, kept in this browser. */
export const theme = signal<Theme>(stored());

export const isDark = computed(() => (theme.value === 'system' ? systemIsDark.value : theme.value === 'dark'));

function stored(): Theme {
  const value = localStorage.getItem(STORED);
  return value === 'light' || value === 'dark' ? value : 'system';
}

// The attribute is set before `isDark` is read by anything that draws.
effect(() => {
  const { documentElement } = document;
  if (theme.value === 'system') {
    delete documentElement.dataset.theme;
    localStorage.removeItem(STORED);
  } else {
    documentElement.dataset.theme = theme.value;
    localStorage.setItem(STORED, theme.value);
  }
});
addEventListener('storage', ({ key }) => {
  if (key === STORED) theme.value = stored();
});
