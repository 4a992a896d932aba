import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The transitions `a, b -> c | d    why` in the first code block under a heading of a page, as pairs `a -> c`. */
export function drawnTransitions(page: string, heading: string): string[] {
  const block = readFileSync(join(root, page), 'utf8').split(`${heading}\n`)[1]?.split('```')[1] ?? '';
  const drawn = block.matchAll(/(?:^| {4})(\w+(?:, \w+)*) -> (\w+(?: \| \w+)*)/gm);
  return pairs([...drawn].map(([, from = '', to = '']) => [from.split(', '), to.split(' | ')]));
}

export function pairsOf(table: Record<string, readonly string[]>): string[] {
  return pairs(Object.entries(table).map(([from, to]) => [[from], to]));
}

function pairs(moves: Array<[string[], readonly string[]]>): string[] {
  const all = moves.flatMap(([from, to]) => from.flatMap((one) => to.map((other) => `${one} -> ${other}`)));
  return [...new Set(all)].toSorted();
}
