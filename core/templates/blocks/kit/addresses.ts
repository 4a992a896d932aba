import { htmlLiteral, literalsOf, mixedFault, mixedOf, textLiteral, variablesOf } from './variables.ts';

const SCHEMES = {
  href: { pattern: /^(?:https?|mailto|tel|sms):/i, words: 'an address of http, https, mailto, tel or sms' },
  src: { pattern: /^(?:https?|cid):/i, words: 'the address of a picture by http, https or cid' },
} as const;

/** undefined: the address leads outside and runs no code, whatever its variables are. */
export function addressFault(address: string, kind: keyof typeof SCHEMES): string | undefined {
  const { pattern, words } = SCHEMES[kind];
  const mixed = mixedFault(address);
  if (mixed) return mixed;
  const literals = literalsOf(address);
  if (isWhole(literals)) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a browser drops these inside an address.
  if (/[\s\\\0-\x1f\x7f<>"]/.test(literals.join('')))
    return 'must be an address without white space, quotes and backslashes';
  if (!pattern.test(literals[0]!) || !URL.canParse(literals.join('x'))) return `must be ${words}`;
  if (literals.slice(0, -1).every((before, index) => before.endsWith('=') && hasQuery(literals, index)))
    return undefined;
  return 'may have a variable as a whole, or as a value of its query: https://example.com/?plan={{plan}}';
}

function isWhole(literals: readonly string[]): boolean {
  return literals.length === 2 && literals.every((text) => text === '');
}

function hasQuery(literals: readonly string[], index: number): boolean {
  return literals.slice(0, index + 1).some((text) => text.includes('?'));
}

export function htmlAddress(address: string): string {
  return mixedOf(address, htmlLiteral);
}

/** A value of a query is encoded, as the HTML does by its place. */
export function textAddress(address: string): string {
  const isQuery = variablesOf(address).length > 0 && !isWhole(literalsOf(address));
  return mixedOf(address, textLiteral, isQuery ? 'encode' : '');
}
