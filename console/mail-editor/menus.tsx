import type { BlockType } from '../../schemas/templates/block-types.ts';
import { snippetNames } from '../parts/mail/snippets.ts';
import { useQuery } from '../parts/page/query.ts';
import { labels } from './model/labels.ts';
import { PickMenu } from './pick-menu.tsx';
import { typedName, type Variables } from './variables.ts';

export type Menu = { kind: 'block'; near: DOMRect; at?: number } | { kind: 'variable'; near: DOMRect };

const blockPicks = Object.entries(labels).map(([value, label]) => ({ value, ...label }));

export function Menus({
  menu,
  variables,
  isLayout,
  onBlock,
  onVariable,
  onSnippet,
  onClose,
}: {
  menu: Menu;
  variables: Variables;
  isLayout: boolean;
  onBlock: (type: BlockType, at: number | undefined) => void;
  onVariable: (name: string) => void;
  onSnippet: (name: string) => void;
  onClose: () => void;
}) {
  const { near } = menu;
  if (menu.kind === 'variable') return <VariableMenu {...{ near, variables, onVariable, onSnippet, onClose }} />;
  return (
    <PickMenu
      {...{ near, onClose }}
      label="Find a block"
      picks={isLayout ? blockPicks : blockPicks.filter(({ value }) => value !== 'content')}
      onPick={(type) => onBlock(type as BlockType, menu.at)}
    />
  );
}

/** `{{` offers variables, and `{{>` snippets. */
function VariableMenu({
  near,
  variables: { picks },
  onVariable,
  onSnippet,
  onClose,
}: {
  near: DOMRect;
  variables: Variables;
  onVariable: (name: string) => void;
  onSnippet: (name: string) => void;
  onClose: () => void;
}) {
  const names = useQuery((signal) => snippetNames('editor', signal)).data.value ?? [];
  const snippets = names.map((name) => ({
    value: `> ${name}`,
    label: `> ${name}`,
    hint: 'Snippet',
    words: `>${name}`,
  }));
  return (
    <PickMenu
      {...{ near, onClose }}
      label="Find a variable"
      picks={[...picks, ...snippets]}
      other={typedName}
      onPick={(value) => (value.startsWith('> ') ? onSnippet(value.slice(2)) : onVariable(value))}
    />
  );
}
