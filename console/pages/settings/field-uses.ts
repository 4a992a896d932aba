/** Whether a filter asks about a custom field, at whatever depth. */
export function isInCriteria(criteria: unknown, fieldName: string): boolean {
  const { groups, field } = (criteria ?? {}) as { groups?: unknown; field?: unknown };
  if (Array.isArray(groups)) return groups.some((entry) => isInCriteria(entry, fieldName));
  return field === `contactProperties.${fieldName}` || field === `customFields.${fieldName}`;
}
