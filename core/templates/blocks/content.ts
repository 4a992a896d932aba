import type { Block, Content } from '../../../schemas/templates/block-types.ts';
import { kindOf } from './kinds.ts';
import type { Place } from './kit/kind.ts';
import { completed, fontOf } from './kit/look.ts';
import { finishText } from './kit/variables.ts';
import { page } from './page.ts';

const PADDING = 24;

/** Sources of the template language, made of content that was checked. The same content makes the same sources. */
export interface CompiledContent {
  html: string;
  text: string;
}

export function compileContent({ look: given, blocks }: Content): CompiledContent {
  const look = completed(given);
  const colours = new Set<string>();
  const html = rowsOf(blocks, { look, colours, width: look.width, padding: PADDING, rows: () => '' });
  return { html: page(html, look, colours), text: finishText(textOf(blocks)).trim() };
}

function rowsOf(blocks: readonly Block[], around: Place): string {
  const rows: Place['rows'] = (inner, width, padding) => rowsOf(inner, { ...around, width, padding });
  const place = { ...around, rows };
  return blocks.map((block) => rowOf(block, place)).join('');
}

function rowOf(block: Block, place: Place): string {
  const kind = kindOf(block);
  if (kind.isFrame) return kind.toHtml(block, place);
  const { padding, width, look } = place;
  const inside = kind.toHtml(block, { ...place, width: width - 2 * padding });
  // Outlook takes the font of a table into no cell.
  const font = `font-family:${fontOf(look)};font-size:16px;line-height:1.5;color:${look.colour}`;
  return `<tr><td class="ep-words" style="padding:8px ${padding}px;${font}">${inside}</td></tr>`;
}

/** An empty line behind each block. */
function textOf(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      const kind = kindOf(block);
      const text = kind.toText(block, textOf);
      return kind.isFrame || text === '' ? text : `${text}\n\n`;
    })
    .join('');
}
