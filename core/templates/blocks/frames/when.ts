import type { Block, Test } from '../../../../schemas/templates/block-types.ts';
import type { Kind } from '../kit/kind.ts';
import { fault } from '../kit/spans.ts';
import { fallbackFault, quoted, variableFault } from '../kit/variables.ts';
import { branches, insideOf } from './branches.ts';

/** Blocks for some recipients: `{{#if}}` of the template language, decided when the mail is made. */
export const when: Kind<'when'> = {
  isFrame: true,
  toHtml(block, { width, padding, rows }) {
    return branches(opened(block), 'if', block, (blocks) => rows(blocks, width, padding));
  },
  toText(block, inside) {
    return branches(opened(block), 'if', block, inside, '\n');
  },
  check({ tests }) {
    return tests.flatMap(({ variable, is, value }, index) => {
      const needsValue = is !== 'set' && is !== 'unset';
      return [
        ...fault(`tests/${index}/variable`, variableFault(variable)),
        ...fault(`tests/${index}/value`, valueFault(value, needsValue)),
      ];
    });
  },
  inside: insideOf,
};

function valueFault(value: Test['value'], isNeeded: boolean): string | undefined {
  if (isNeeded !== (value !== undefined))
    return isNeeded ? 'is required' : 'must be left out: set and unset compare nothing';
  return typeof value === 'string' ? fallbackFault(value) : undefined;
}

function opened({ tests, match = 'all' }: Pick<Block<'when'>, 'tests' | 'match'>): string {
  const [only, ...others] = tests.map(testOf);
  if (others.length === 0) return `{{#if ${only}}}`;
  return `{{#if (${match === 'all' ? 'and' : 'or'} ${[only, ...others].join(' ')})}}`;
}

/** "unset" is that the variable has the text of nothing. */
function testOf({ variable, is, value }: Test): string {
  if (is === 'set') return `(notEquals ${variable} "")`;
  if (is === 'unset') return `(equals ${variable} "")`;
  return `(${is} ${variable} ${typeof value === 'number' ? `"${value}"` : quoted(value ?? '')})`;
}
