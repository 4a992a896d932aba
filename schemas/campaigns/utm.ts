const UTM_LENGTH_MAX = 200;

const value = { type: 'string', minLength: 1, maxLength: UTM_LENGTH_MAX, format: 'line', pattern: '\\S' } as const;

/** The parameters that are added to the links of a mail. */
export const utmField = {
  title: 'Utm',
  type: ['object', 'null'],
  additionalProperties: false,
  minProperties: 1,
  description:
    'Added to the http and https links of the HTML as utm_source and so on. Not to links that have a utm_ parameter or a signature already, links with data-no-track, and those of this service. null: none.',
  properties: { source: value, medium: value, campaign: value, term: value, content: value },
} as const;
