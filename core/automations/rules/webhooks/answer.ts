import { PROPERTIES_MAX, PROPERTY_NAME, PROPERTY_TEXT_MAX } from '../../../../schemas/people/contacts.ts';
import type { PropertyValue } from '../../../base/model.ts';
import type { WebhookAnswer } from '../../model/enrollment.ts';

/** Reads the answer of a webhook: `{contactProperties}`, or nothing about the person. Other fields are ignored. */
export function answerOf(json: unknown): WebhookAnswer {
  if (json === null) return {};
  if (typeof json !== 'object' || Array.isArray(json))
    return { problem: 'The answer must be a JSON object, or empty.' };
  const { contactProperties } = json as { contactProperties?: unknown };
  if (contactProperties === undefined || contactProperties === null) return {};
  if (typeof contactProperties !== 'object' || Array.isArray(contactProperties))
    return { problem: 'contactProperties: must be an object' };
  const entries = Object.entries(contactProperties);
  if (entries.length > PROPERTIES_MAX)
    return { problem: `contactProperties: must have ${PROPERTIES_MAX} properties at most` };
  for (const [name, value] of entries) {
    const problem = PROPERTY_NAME.test(name) ? valueProblem(value) : 'must be named by letters, digits and underscores';
    if (problem) return { problem: `contactProperties/${name.slice(0, NAME_SHOWN_MAX)}: ${problem}` };
  }
  return entries.length === 0 ? {} : { contactProperties: contactProperties as Record<string, PropertyValue | null> };
}

const NAME_SHOWN_MAX = 64;

function valueProblem(value: unknown): string | null {
  if (typeof value === 'string')
    return value.length > PROPERTY_TEXT_MAX ? `must have ${PROPERTY_TEXT_MAX} characters at most` : null;
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return null;
  return 'must be a text, a number, true, false or null';
}
