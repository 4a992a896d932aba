import type { Block, Test } from '../../../schemas/templates/block-types.ts';

export const comparisons: Record<Test['is'], string> = {
  set: 'has a value',
  unset: 'has no value',
  equals: 'is',
  notEquals: 'is not',
  greaterThan: 'is more than',
  lessThan: 'is less than',
};

/** 'Only when plan is pro and city has a value' */
export function conditionOf({ tests, match = 'all' }: Block<'when'>): string {
  const parts = tests.map(({ variable, is, value }) => [variable, comparisons[is], value ?? ''].join(' ').trim());
  return `Only when ${parts.join(match === 'all' ? ' and ' : ' or ')}`;
}
