/** Values that several parts of an automation have. */

export const DELAY_DAYS_MAX = 3_650;
export const URL_MAX = 2_000;

export const line = (maxLength: number) => ({ type: 'string', maxLength, format: 'line' }) as const;

export const stepId = { ...line(100), minLength: 1 } as const;

export const nullableStepId = { ...stepId, type: ['string', 'null'] } as const;

export const filterCriteria = {
  type: 'object',
  description:
    'logicalOperator (AND or OR) and groups of {field, operator, value, fieldType}, nested up to five levels. {field: listIds, operator: in_list or not_in_list, value: the id of a list} asks about a list.',
} as const;

export const timeOfDay = { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' } as const;

export const offset = {
  title: 'AutomationOffset',
  type: 'object',
  required: ['value', 'unit', 'direction'],
  properties: {
    value: { type: 'integer', minimum: 0, maximum: DELAY_DAYS_MAX * 1_440 },
    unit: { enum: ['minutes', 'hours', 'days'] },
    direction: { enum: ['before', 'after'] },
  },
} as const;
