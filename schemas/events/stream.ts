import { timezoneField } from '../figures/now.ts';
import { schema } from '../schema.ts';

export const streamQuery = schema({
  type: 'object',
  properties: {
    types: {
      type: 'string',
      maxLength: 1_000,
      description:
        'Types of events, comma separated; a type may end in * (email.*). Omitted: all that webhooks can have. Live figures need their full names: campaign.progress, project.summary, import.progress, domain.checked, event.recorded.',
    },
    timezone: { ...timezoneField, description: 'IANA name: whose day is today in project.summary.' },
  },
});
