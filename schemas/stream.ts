import { schema } from './schema.ts';

export const streamQuery = schema({
  type: 'object',
  properties: {
    types: {
      type: 'string',
      maxLength: 1_000,
      description: 'Only these, comma separated; a name may end in * (email.*). Omitted: every event.',
    },
  },
});
