import { snippetNames } from '../../parts/mail/snippets.ts';
import { Menu } from '../../parts/over/menu.tsx';
import { useQuery } from '../../parts/page/query.ts';

/** Offers the published snippets of code. */
export function InsertSnippet({ onInsert }: { onInsert: (text: string) => void }) {
  const names = useQuery((signal) => snippetNames('code', signal)).data.value ?? [];
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
