import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

/** The attributes by which operators filter runs. A namespace has room for ten keywords, so all types of runs share the names. */
export const searchAttributes = {
  ProjectId: keyword('ProjectId'),
  CampaignId: keyword('CampaignId'),
  AutomationId: keyword('AutomationId'),
  ContactId: keyword('ContactId'),
  BulkOperationId: keyword('BulkOperationId'),
  Status: keyword('Status'),
  Phase: keyword('Phase'),
};

export type SearchAttributeValues = Partial<Record<keyof typeof searchAttributes, string>>;

export function attributePairs(values: SearchAttributeValues): SearchAttributePair[] {
  return Object.entries(values).map(([name, value]) => ({
    key: searchAttributes[name as keyof typeof searchAttributes],
    value,
  }));
}
