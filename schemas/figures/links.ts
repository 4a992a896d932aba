import { timestampField } from '../common.ts';
import { type JsonSchema, shape } from '../schema.ts';

const count = { type: 'integer' } as const;
const sums = {
  clicks: { ...count, description: 'All clicks, with those of machines.' },
  people: { ...count, description: 'Mails in which it was clicked.' },
  humanPeople: {
    ...count,
    description:
      'Of them, those in which a person clicked it. A machine clicks within seconds of delivery, is a known scanner, or clicks three links of a mail within two seconds.',
  },
} as const;

const link = {
  position: {
    type: ['integer', 'null'],
    description: 'The position among all links of the content, from 1; null where links are grouped by URL.',
  },
  url: { type: 'string', description: 'As it is written in the content, before variables.' },
  ...sums,
} as const;
const isCurrent: JsonSchema = {
  type: 'boolean',
  description:
    'False for a link that the content does not have at that position any more, and for links grouped by URL.',
};
const head = { since: { ...timestampField, description: 'The time since which all clicks are counted.' } } as const;
const other: JsonSchema = {
  title: 'OtherLinks',
  type: 'object',
  required: Object.keys(sums),
  description: 'Links beyond 500 that are grouped by URL, and clicks on more than 100 links of a mail.',
  properties: sums,
};

function answerOf(title: string, itemTitle: string, properties: Record<string, JsonSchema>) {
  return shape({
    title,
    type: 'object',
    required: ['since', 'links', 'other'],
    properties: {
      ...head,
      links: {
        type: 'array',
        description: 'In the order of the content, then links of mail that was sent before, most clicks first.',
        items: { title: itemTitle, type: 'object', required: Object.keys(properties), properties },
      },
      other,
    },
  });
}

export const campaignLinksAnswer = answerOf('CampaignLinks', 'CampaignLink', link);
export const templateLinksAnswer = answerOf('TemplateLinks', 'TemplateLink', { ...link, isCurrent });
export const automationLinksAnswer = answerOf('AutomationLinks', 'AutomationLink', {
  stepId: { type: 'string' },
  ...link,
  isCurrent,
});
