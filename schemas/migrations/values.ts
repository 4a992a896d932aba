/** Of several bodies and answers. */

const KEY_LENGTH_MAX = 512;
const SELECTED_MAX = 10_000;
export const ID_LENGTH_MAX = 256;

const key = { type: 'string', minLength: 1, maxLength: KEY_LENGTH_MAX } as const;
export const keyFields = {
  apiKey: {
    ...key,
    description: "The source provider's key; required. Used for this call or job, and never stored in plain text.",
  },
  providerAApiKey: { ...key, description: 'Alias of apiKey.' },
  providerBApiKey: { ...key, description: 'Alias of apiKey.' },
  sendgridApiKey: { ...key, description: 'Alias of apiKey.' },
  resendApiKey: { ...key, description: 'Alias of apiKey.' },
} as const;

export const sourceId = { title: 'SourceId', type: ['string', 'integer'], maxLength: ID_LENGTH_MAX } as const;
export const selected = { type: 'array', maxItems: SELECTED_MAX, items: sourceId } as const;
export const updateHtml = {
  type: 'boolean',
  description: 'Whether a template that was migrated before gets its content again; omitted: false.',
} as const;

export const count = { type: 'integer', minimum: 0 };
