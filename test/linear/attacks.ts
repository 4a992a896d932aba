import type { AST } from '@eslint-community/regexpp';

/** Does not occur in what a pattern of ours looks for, so it ends a run without a match. */
const MISMATCH = '\u0002\u{10fffe}';
/** Samples of a set of characters: one of each kind that patterns distinguish. */
const PROBES = [...' \t\n\r0aA_-.,;:=<>"\'(){}[]?&/\\%@+*!#~é\u0001\u2028', '\u4e2d'];
const CHARACTERS_MAX = 40;

/** Pieces that are repeated, each with what comes before the run and after it. */
export interface Attack {
  before: string;
  repeated: string;
  after: string;
}

/** Runs of each character of the pattern, alone and after a beginning that matches; and runs of each such beginning. */
export function attacksOn(pattern: AST.Pattern, flags: string): Attack[] {
  const characters = charactersOf(pattern, flags).slice(0, CHARACTERS_MAX);
  const attacks: Attack[] = characters.map((repeated) => ({ before: '', repeated, after: '' }));
  for (const quantifier of quantifiersOf(pattern)) {
    const before = beginningOf(quantifier, flags);
    const bodies = [
      ...charactersOf(quantifier.element, flags).slice(0, CHARACTERS_MAX),
      sampleOf(quantifier.element, flags),
    ];
    for (const repeated of new Set(bodies))
      attacks.push({ before, repeated, after: MISMATCH }, { before: MISMATCH, repeated, after: MISMATCH });
    for (const body of ['', sampleOf(quantifier.element, flags), ' ', 'a'])
      attacks.push({ before: '', repeated: before + body, after: MISMATCH });
  }
  return attacks.filter(({ repeated }) => repeated !== '');
}

export function textOf({ before, repeated, after }: Attack, length: number): string {
  return before + repeated.repeat(Math.ceil(length / repeated.length)) + after;
}

function quantifiersOf(node: AST.Node): AST.Quantifier[] {
  const own = node.type === 'Quantifier' && node.max > 1 ? [node] : [];
  return [...own, ...childrenOf(node).flatMap(quantifiersOf)];
}

function charactersOf(node: AST.Node, flags: string): string[] {
  if (node.type === 'Character') return [String.fromCodePoint(node.value)];
  if (isSet(node)) return membersOf(node, flags);
  return [...new Set(childrenOf(node).flatMap((child) => charactersOf(child, flags)))];
}

function isSet(node: AST.Node): boolean {
  return ['CharacterClass', 'CharacterSet', 'ExpressionCharacterClass'].includes(node.type);
}

function membersOf(node: AST.Node, flags: string): string[] {
  const set = new RegExp(`^(?:${node.raw})$`, flags.replace(/[gy]/g, ''));
  const named = node.raw.replace(/\\[a-zA-Z]/g, '');
  return [...new Set([...PROBES, ...named])].filter((character) => set.test(character));
}

/** Text that the node matches. */
function sampleOf(node: AST.Node, flags: string): string {
  if (node.type === 'Character') return String.fromCodePoint(node.value);
  if (isSet(node)) return membersOf(node, flags).at(-1) ?? '';
  if (node.type === 'Quantifier')
    return sampleOf(node.element, flags).repeat(Math.max(node.min, Math.min(1, node.max)));
  if (node.type === 'Alternative') return node.elements.map((element) => sampleOf(element, flags)).join('');
  if (node.type === 'Group' || node.type === 'CapturingGroup' || node.type === 'Pattern')
    return sampleOf(node.alternatives[0]!, flags);
  return '';
}

/** Text that matches everything before the quantifier. */
function beginningOf(node: AST.Node, flags: string): string {
  const { parent } = node;
  if (!parent) return '';
  const siblings = parent.type === 'Alternative' ? parent.elements : [];
  const before = siblings.slice(0, Math.max(0, siblings.indexOf(node as AST.Element)));
  return beginningOf(parent, flags) + before.map((element) => sampleOf(element, flags)).join('');
}

function childrenOf(node: AST.Node): AST.Node[] {
  if ('alternatives' in node) return node.alternatives as AST.Node[];
  if ('elements' in node) return node.elements as AST.Node[];
  return 'element' in node ? [node.element] : [];
}
