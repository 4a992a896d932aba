import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = join(import.meta.dirname, '../../ARCHITECTURE.md');

/** The transitions `a, b -> c | d    why` in the first code block under a heading of ARCHITECTURE.md, as pairs `a -> c`. */
export function drawnTransitions(heading: string): string[] {
  const block = readFileSync(page, 'utf8').split(`${heading}\n`)[1]?.split('```')[1] ?? '';
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
