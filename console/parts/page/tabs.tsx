import { place, setQuery } from '../../router.ts';
import { count } from '../data/format.ts';

export interface Tab {
  /** In the address: `?tab=bounced`. The first one is the empty string. */
  key: string;
  label: string;
  /** Figure next to the label. */
  n?: number | null | undefined;
}

/** Parts of a page that have an address: the query parameter `name` says which. Read it with `currentTab`. */
export function Tabs({
  label,
  name = 'tab',
  tabs,
  clears = [],
}: {
  label: string;
  name?: string;
  tabs: readonly Tab[];
  /** Other parameters, which belong to one tab alone. */
  clears?: readonly string[];
}) {
  const current = currentTab(tabs, name);
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a
          key={tab.key}
          href={hrefOf(name, tab.key, clears)}
          aria-current={tab.key === current ? 'true' : undefined}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            const none = Object.fromEntries(['page', ...clears].map((other) => [other, null]));
            setQuery({ ...none, [name]: tab.key || null }, { push: true });
          }}
        >
          {tab.label}
          {tab.n !== undefined && tab.n !== null && <span class="n">{count(tab.n)}</span>}
        </a>
      ))}
    </nav>
  );
}

export function currentTab(tabs: readonly Tab[], name = 'tab'): string {
  const asked = place.value.query.get(name) ?? '';
  return tabs.some(({ key }) => key === asked) ? asked : (tabs[0]?.key ?? '');
}

function hrefOf(name: string, key: string, clears: readonly string[]): string {
  const query = new URLSearchParams(place.value.query);
  for (const other of ['page', ...clears]) query.delete(other);
  if (key) query.set(name, key);
  else query.delete(name);
  const text = query.toString();
  return location.pathname + (text && `?${text}`);
}
