import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import { type SearchAttributeName, searchAttributeNames } from './names.ts';

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

export const searchAttributes = Object.fromEntries(searchAttributeNames.map((name) => [name, keyword(name)])) as Record<
  SearchAttributeName,
  ReturnType<typeof keyword>
>;

export type SearchAttributeValues = Partial<Record<SearchAttributeName, string>>;

export function attributePairs(values: SearchAttributeValues): SearchAttributePair[] {
  return Object.entries(values).map(([name, value]) => ({
    key: searchAttributes[name as SearchAttributeName],
    value,
  }));
}
