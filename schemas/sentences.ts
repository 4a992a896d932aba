import type { JsonSchema } from './schema.ts';

/** A value that a rule of its schema refuses. */
export interface Refused {
  /** The keyword of the schema. */
  rule: string;
  /** The rule's allowance, in the words of Ajv: `limit`, `pattern`, `format`, ... */
  params: Readonly<Record<string, unknown>>;
  /** The name of the field, without what it is in. */
  field: string;
  /** The schema that has the rule. */
  schema: JsonSchema;
}

/**
 * The sentence behind the name of a field, with what is wrong and what to do: the words of `error.details` and `error.message`, which the console shows as they
 * are. null: there is no sentence yet, which a test finds. No sentence has a semicolon, since one separates the fields.
 */
export function sentenceOf({ rule, params, field, schema }: Refused): string | null {
  const own = FIELD_SENTENCES[`${field} ${rule}`];
  if (own !== undefined) return own;
  const limit = Number(params.limit);
  switch (rule) {
    case 'required':
      return 'is required';
    case 'pattern':
      return PATTERN_SENTENCES[String(params.pattern)] ?? null;
    case 'format':
      return FORMAT_SENTENCES[String(params.format)] ?? null;
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}`;
    case 'minimum':
    case 'maximum':
      return rangeOf(schema);
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must be ${limit} characters at least`;
    case 'maxLength':
      return `must be ${limit} ${limit === 1 ? 'character' : 'characters'} at most`;
    case 'minItems':
      return limit === 1 ? 'must hold at least one entry' : `must hold ${limit} entries at least`;
    case 'maxItems':
      return `must hold ${limit} ${limit === 1 ? 'entry' : 'entries'} at most`;
    case 'maxProperties':
      return `must have ${limit} fields at most`;
    case 'uniqueItems':
      return 'must not hold the same entry twice';
    case 'additionalProperties':
      return 'is not known here, so check its spelling or leave it out';
    case 'type':
      return `must be ${typesOf([params.type].flat().map(String))}${hintOf(schema)}`;
    default:
      return null;
  }
}

/** For names that the caller chooses: "has a name that is not allowed: a b (must be ...)". */
export function nameSentence(name: string, sentence: string | null): string {
  return `has a name that is not allowed: ${name.slice(0, NAME_SHOWN)}${sentence === null ? '' : ` (it ${sentence})`}`;
}

const NAME_SHOWN = 80;

/** Where a field can say more than its rule. */
export const FIELD_SENTENCES: Readonly<Record<string, string>> = {
  'blocks anyOf': 'must be a content block of a known type',
  'contactIds minItems': 'must name at least one person',
  'contacts minItems': 'must have at least one contact',
  'emails minItems': 'must have at least one address',
  'listIds minItems': 'must name at least one list',
  'mails minItems': 'must have at least one mail',
  'options minItems': 'must have at least one option',
  'options uniqueItems': 'must not have the same option twice',
  'reentry anyOf': 'must be once, after_exit, or an object with afterDays from 1 to 3,650',
  'states minItems': 'must name at least one state',
  'utm minProperties': 'must have at least one of source, medium, campaign, term and content, or be null',
};

/** By the pattern. */
export const PATTERN_SENTENCES: Readonly<Record<string, string>> = {
  '\\S': 'must not be blank',
  '^[A-Za-z0-9_]{1,64}$': 'must be 1 to 64 letters (a to z), digits and underscores, without spaces',
  '^(?:(?:contactProperties|customFields)\\.)?([A-Za-z0-9_]{1,64})$':
    'must be the name of a contact property, for example timezone or contactProperties.timezone',
  '^[A-Za-z0-9_-]{1,64}$': 'must be 1 to 64 letters (a to z), digits, underscores and hyphens, without spaces',
  '^[A-Za-z0-9-]{1,76}$': 'must be 1 to 76 letters (a to z), digits and hyphens',
  '^[A-Za-z0-9_-]{1,64}:[A-Za-z0-9_-]{1,64}$':
    'must be a tag, its name and its value with a colon between, for example kind:invoice',
  '^[A-Za-z0-9_-]{1,64}:[A-Za-z0-9_-]{1,64}$|^other$':
    'must be a tag, its name and its value with a colon between, for example kind:invoice, or other',
  '^(humanOpens|humanClicks|event:\\S.{0,99})$': 'must be humanOpens, humanClicks or event: and the name of an event',
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}$': 'must be a day as year, month and day, for example 2026-12-24',
  '^[a-z][a-z0-9-]{0,39}$':
    'must begin with a small letter and have up to 40 small letters, digits and hyphens, for example footer',
  '^[A-Za-z0-9_-]+$': 'must be a reason as answers show it: letters, digits, underscores and hyphens',
  '^[a-z0-9-]+$': 'must be a mailbox provider as answers show it: small letters, digits and hyphens',
  '^[A-Za-z0-9][A-Za-z0-9.-]*$': 'must be a domain, for example news.example.com',
  '^([01][0-9]|2[0-3]):[0-5][0-9]$': 'must be a time of day from 00:00 to 23:59, for example 09:00',
  "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$": 'must be the name of a header: letters, digits and hyphens, for example X-Key',
  '^[\\x20-\\x7e]+$': 'must be one line of ASCII characters',
  '^#[0-9A-Fa-f]{6}$': 'must be a colour of # and six digits from 0 to 9 and a to f, for example #1a6b54',
  '^(#[0-9A-Fa-f]{6}|brand\\.(primary|background|paper|text))$':
    'must be a colour of # and six digits from 0 to 9 and a to f, or one of the brand: brand.primary, brand.background, brand.paper, brand.text',
  '^[A-Za-z0-9][A-Za-z0-9 -]{0,39}$': 'must be the name of a font: letters, digits, spaces and hyphens',
  '^([1-9][0-9]{0,8}|draft)$': 'must be the number of a version, or draft',
  '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$': 'must be the tag of a language, for example en or pt-BR',
  '^[0-9a-f]{24}$': 'must be an id, 24 digits from 0 to 9 and a to f',
  '^[0-9a-fA-F]{24}$': 'must be an id, 24 digits from 0 to 9 and a to f',
};

/** By the format. */
export const FORMAT_SENTENCES: Readonly<Record<string, string>> = {
  email: 'must be an email address',
  'email-or-empty': 'must be an email address, or empty',
  timezone: 'must be an IANA time zone, for example Europe/Berlin',
  'date-time': 'must be an ISO 8601 time',
  mobile: 'must be a number in E.164 form, for example +12025550123',
  language: 'must be a language tag such as fr or pt-BR',
  line: 'must be one line without control characters',
  lines: 'must be text without control characters but line ends',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

function rangeOf({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined) return `must be ${maximum} or less`;
  return maximum === undefined ? `must be ${minimum} or more` : `must be from ${minimum} to ${maximum}`;
}

function typesOf(types: readonly string[]): string {
  const named = types.filter((type) => type !== 'null').map((type) => TYPES[type] ?? type);
  return named.join(' or ') + (types.includes('null') ? ', or null for none' : '');
}

/** A schema may carry a hint next to its type, for callers who commonly get it wrong. */
function hintOf(schema: JsonSchema): string {
  const hint = schema['x-hint'];
  return typeof hint === 'string' ? ` (${hint})` : '';
}
