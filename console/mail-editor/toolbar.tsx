import { toggleMark } from 'prosemirror-commands';
import { redo, redoDepth, undo, undoDepth } from 'prosemirror-history';
import type { Command } from 'prosemirror-state';
import { Button } from '../parts/forms/button.tsx';
import { schema } from './model/schema.ts';
import { hasMark, setAlign, setList } from './model/words.ts';
import type { Surface } from './surface/open.ts';

/** Above the mail: what is done with the words at the cursor, and what adds to the mail. */
export function Toolbar({
  surface,
  onAdd,
  onLink,
  onVariable,
}: {
  surface: Surface;
  onAdd: (near: Element) => void;
  onLink: () => void;
  onVariable: (near: Element) => void;
}) {
  const state = surface.state.value;
  const isInWords = state.selection.$from.parent.inlineContent;
  const noWords = !isInWords && 'Put the cursor into words first.';
  const run = (command: Command) => () => {
    surface.run(command);
    surface.focus();
  };
  const can = (command: Command, why: string) => noWords || (!command(state) && why);
  const { bold, italic, href } = schema.marks;
  return (
    <div class="row wrap mail-tools" role="toolbar" aria-label="Write">
      <Button isSmall icon="plus" onClick={(event) => onAdd(event.currentTarget as Element)}>
        Block
      </Button>
      <span class="tool-group">
        <Button isSmall why={undoDepth(state) === 0 && 'Nothing was changed.'} onClick={run(undo)}>
          Undo
        </Button>
        <Button isSmall why={redoDepth(state) === 0 && 'Nothing was taken back.'} onClick={run(redo)}>
          Redo
        </Button>
      </span>
      <span class="tool-group">
        <Button isSmall label="Bold" isPressed={hasMark(state, 'bold')} why={noWords} onClick={run(toggleMark(bold!))}>
          <b>B</b>
        </Button>
        <Button
          isSmall
          label="Italic"
          isPressed={hasMark(state, 'italic')}
          why={noWords}
          onClick={run(toggleMark(italic!))}
        >
          <i>I</i>
        </Button>
        <Button
          isSmall
          isPressed={hasMark(state, 'href')}
          why={
            noWords || (!state.selection.$from.parent.type.allowsMarkType(href!) && 'A button is a link as a whole.')
          }
          onClick={onLink}
        >
          Link
        </Button>
        <Button isSmall why={noWords} label="Variable" onClick={(event) => onVariable(event.currentTarget as Element)}>
          {'{ }'}
        </Button>
      </span>
      <span class="tool-group">
        <Button isSmall why={can(setList(false), 'Lists are made in texts.')} onClick={run(setList(false))}>
          List
        </Button>
        <Button isSmall why={can(setList(true), 'Lists are made in texts.')} onClick={run(setList(true))}>
          Numbered
        </Button>
        {(['left', 'center', 'right'] as const).map((align) => (
          <Button
            key={align}
            isSmall
            label={alignLabels[align]}
            why={can(setAlign(align), 'Other blocks have it among their settings.')}
            onClick={run(setAlign(align))}
          >
            <span class={`align-sign ${align}`} aria-hidden="true" />
          </Button>
        ))}
      </span>
    </div>
  );
}

const alignLabels = { left: 'To the left', center: 'In the middle', right: 'To the right' };
