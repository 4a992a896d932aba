import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkContent } from '../../../core/templates/blocks/check.ts';
import { compileContent } from '../../../core/templates/blocks/content.ts';
import type { Block } from '../../../schemas/templates/block-types.ts';
import { blockTypes } from '../../../schemas/templates/blocks.ts';

const page = join(import.meta.dirname, '../../../docs/blocks.md');
const golden = join(import.meta.dirname, '../../fixtures/blocks');
/** Writes the golden files again: look at their difference. */
const UPDATE = 'EVERPOST_GOLDEN';

const examples = Array.from(readFileSync(page, 'utf8').matchAll(/```json\n([\s\S]*?)```/g), ([, json]) =>
  JSON.parse(json!),
).filter((one) => 'type' in one) as Block[];

describe('The examples of docs/blocks.md', () => {
  it('are one for each type of content block', () => {
    expect(examples.map(({ type }) => type).toSorted()).to.deep.equal(blockTypes.toSorted());
  });

  for (const example of examples)
    it(`compile to the golden file: ${example.type}`, () => {
      const { html, text } = compileContent(checkContent({ v: 1, blocks: [example] }));
      const made = `${readable(rowsOf(html))}\n\n===== text\n${text}\n`;
      const file = join(golden, `${example.type}.txt`);
      if (process.env[UPDATE]) writeFileSync(file, made);
      expect(made).to.equal(readFileSync(file, 'utf8'));
      // Filters of spam look for words that are too small to be read.
      expect(html).to.not.match(/font-size:0/);
    });

  for (const example of examples.filter(({ type }) => !['snippet', 'content'].includes(type)))
    it(`have the address of each link as often in the text as in the HTML: ${example.type}`, () => {
      const { html, text } = compileContent(checkContent({ v: 1, blocks: [example] }));
      const shown = Array.from(html.matchAll(/href="([^"]*)"/g), ([, address]) => address!.replaceAll('&amp;', '&'));
      for (const address of new Set(shown)) {
        const here = shown.filter((one) => one === address).length;
        expect(text.replaceAll('{{encode ', '{{').split(address).length - 1, address).to.equal(here);
      }
    });
});

/** Without the page around them. */
function rowsOf(html: string): string {
  const [, rows] = html.split(/<tr><td style="font-size:1px;line-height:12px;height:12px">&nbsp;<\/td><\/tr>/);
  return rows!;
}

function readable(html: string): string {
  return html
    .replace(
      /(?<=>)(?=<(?:tr|td|th|div|p|ul|ol|li|table|h\d|blockquote|a|img|!--))|(?=<\/(?:tr|table|div|ul|ol)>)/g,
      '\n',
    )
    .trim();
}
