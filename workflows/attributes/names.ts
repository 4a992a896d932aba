/** The attributes by which operators filter runs. A namespace has room for ten keywords, so all types of runs share the names. */
export const searchAttributeNames = [
  'ProjectId',
  'CampaignId',
  'AutomationId',
  'ContactId',
  'BulkOperationId',
  'State',
  'Phase',
] as const;

export type SearchAttributeName = (typeof searchAttributeNames)[number];
