/** The marks that a caller gives mail, such as {name: "kind", value: "invoice"}, to find and to count it by. */

const TAGS_MAX = 10;
const WORD = '[A-Za-z0-9_-]{1,64}';
/** In filters. No name and no value has a colon. */
const NAMED = `^${WORD}:${WORD}$`;
/** Values beyond the most of a day are counted together under this. */
export const OTHER_TAGS = 'other';

const word = { type: 'string', pattern: `^${WORD}$` } as const;

/** In bodies, answers and events. */
export const tagsField = {
  type: 'array',
  maxItems: TAGS_MAX,
  items: { title: 'MailTag', type: 'object', required: ['name', 'value'], properties: { name: word, value: word } },
} as const;

export const givenTags = {
  ...tagsField,
  description:
    'To find and to count mail by: each name once. No personal data: they stay when a contact is deleted, and in reports.',
} as const;

export const tagFilter = {
  type: 'string',
  pattern: NAMED,
  maxLength: 129,
  description: 'name:value of a tag.',
} as const;

export const countedTag = {
  type: 'string',
  pattern: `${NAMED}|^${OTHER_TAGS}$`,
  maxLength: 129,
  description: `Only mail with this tag, as name:value. A project has 1,000 of them a UTC day; all others of that day are "${OTHER_TAGS}".`,
} as const;
