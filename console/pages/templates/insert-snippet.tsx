import { api } from '../../api.ts';
import { Menu } from '../../parts/over/menu.tsx';
import { useQuery } from '../../parts/page/query.ts';

const LISTED_MAX = 100;

/** Offers the published snippets of code. */
export function InsertSnippet({ onInsert }: { onInsert: (text: string) => void }) {
  const found = useQuery(async (signal) => (await api.snippets.list({ limit: LISTED_MAX }, { signal })).snippets);
  const names = (found.data.value ?? [])
    .filter(({ builderType, publishedVersion }) => builderType === 'code' && publishedVersion !== null)
    .map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <Menu
      label="Insert a snippet"
      icon="plus"
      isSmall
      items={names.map((name) => ({ label: `{{> ${name}}}`, onPick: () => onInsert(`{{> ${name}}}`) }))}
    >
      Insert a snippet
    </Menu>
  );
}
