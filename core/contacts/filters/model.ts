import type { PropertyType, PropertyValue } from '../../base/model.ts';

export const OPERATORS = {
  string: ['equals', 'not_equals', 'contains', 'not_contains', 'starts_with', 'ends_with', 'is_empty', 'is_not_empty'],
  number: ['equals', 'not_equals', 'greater_than', 'less_than', 'between'],
  boolean: ['equals', 'not_equals'],
  date: ['equals', 'not_equals', 'before', 'after', 'between', 'is_empty', 'is_not_empty'],
} as const;

export type Operator = (typeof OPERATORS)[PropertyType][number];

export interface Condition {
  id?: string;
  /** The canonical path: email, contactProperties.plan, event.properties.amount. */
  field: string;
  fieldType: PropertyType;
  operator: Operator;
  /** Coerced to fieldType; two values for between; absent for is_empty and is_not_empty. */
  value?: PropertyValue | [PropertyValue, PropertyValue];
}

export interface Filter {
  logicalOperator: 'AND' | 'OR';
  groups: Condition[];
}
