import { compiledBlocks } from '../../core/templates/assemble/assemble.ts';
import { compileContent } from '../../core/templates/blocks/content.ts';
import type { Block, Content } from '../../schemas/templates/block-types.ts';
import { BLOCKS_MAX, CONTENT_LENGTH_MAX, CONTENT_TAGS_MAX } from '../../schemas/templates/blocks.ts';
import { type Figure, figure } from '../rig/results/report.ts';
import { keep } from './run.ts';

/**
 * The largest content that is taken, each at one of its limits, from the document to the sources that a campaign sends: checked, compiled
 * to HTML and text, and both read as templates. By CPU, which other programs on the machine do not change.
 */
const ROUNDS = 21;
const WARM_UP = 5;
/** No event loop is held for longer, and the compiler pauses several times besides. */
const HOLD_MS_MAX = 50;
/** A block has ids, types and numbers next to its text, each of which counts. */
const LENGTH_OF_BLOCK = 60;

const end: Block = { id: 'end', type: 'footer', unsubscribe: 'Unsubscribe' };
const paragraph = (id: number, text: string): Block => ({
  id: `b${id}`,
  type: 'text',
  nodes: [{ type: 'paragraph', spans: [{ text }] }],
});
const counted = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const contentOf = (blocks: Block[]): Content => ({ v: 1, blocks: [...blocks, end] });

const words = 'harbour & <books> '.repeat(1_000);
const ofBlocks = BLOCKS_MAX - 1;
const each = Math.floor(CONTENT_LENGTH_MAX / ofBlocks) - LENGTH_OF_BLOCK;
/** A condition, its columns and their text. */
const frames = Math.floor(ofBlocks / 3);
const largest: Record<string, Content> = {
  [`${BLOCKS_MAX} blocks with ${CONTENT_LENGTH_MAX / 1024} kB together`]: contentOf(
    counted(ofBlocks, (id) => paragraph(id, words.slice(0, each))),
  ),
  [`${CONTENT_TAGS_MAX} variables`]: contentOf(
    counted(CONTENT_TAGS_MAX / 10, (id) => ({
      id: `b${id}`,
      type: 'heading',
      level: 2,
      spans: counted(10, (at) => ({ variable: `field${at}`, fallback: 'you' })).slice(id === 0 ? 1 : 0),
    })),
  ),
  [`${frames * 3 + 1} blocks in columns and conditions`]: contentOf(
    counted(frames, (id) => ({
      id: `w${id}`,
      type: 'when',
      tests: [{ variable: 'plan', is: 'set' }],
      blocks: [
        {
          id: `c${id}`,
          type: 'columns',
          columns: [
            { share: 1, blocks: [paragraph(id, 'harbour & <books>')] },
            { share: 1, blocks: [] },
          ],
        },
      ],
    })),
  ),
};

const figures: Figure[] = [];
for (const [name, content] of Object.entries(largest)) {
  const { html } = compileContent(content);
  const size = `${Math.round(html.length / 1_000)} kB of HTML`;
  const values: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const ms = await cpuMsOf(() => compiledBlocks(content));
    if (round >= 0) values.push(Math.round(ms * 100) / 100);
  }
  figures.push(figure(`CPU for ${name} (${size})`, 'ms', values, { asked: { atMost: HOLD_MS_MAX } }));
}
keep('content', figures);

async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
