import type { BlockType } from '../../schemas/templates/block-types.ts';
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
  onClose,
}: {
  menu: Menu;
  variables: Variables;
  isLayout: boolean;
  onBlock: (type: BlockType, at: number | undefined) => void;
  onVariable: (name: string) => void;
  onClose: () => void;
}) {
  const { near } = menu;
  if (menu.kind === 'variable')
    return (
      <PickMenu
        {...{ near, onClose }}
        label="Find a variable"
        picks={variables.picks}
        other={typedName}
        onPick={onVariable}
      />
    );
  return (
    <PickMenu
      {...{ near, onClose }}
      label="Find a block"
      picks={isLayout ? blockPicks : blockPicks.filter(({ value }) => value !== 'content')}
      onPick={(type) => onBlock(type as BlockType, menu.at)}
    />
  );
}
