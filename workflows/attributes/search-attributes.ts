import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import { type SearchAttributeName, searchAttributeNames } from './names.ts';

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

export const searchAttributes = Object.fromEntries(searchAttributeNames.map((name) => [name, keyword(name)])) as Record<
  SearchAttributeName,
  ReturnType<typeof keyword>
>;

/** The former name of `State`, which hides the column of the Web UI of the same name. Runs that began with it keep it. */
export const formerState = keyword('Status');

export type SearchAttributeValues = Partial<Record<SearchAttributeName, string>>;

export function attributePairs(values: SearchAttributeValues, keys = searchAttributes): SearchAttributePair[] {
  return Object.entries(values).map(([name, value]) => ({ key: keys[name as SearchAttributeName], value }));
}
