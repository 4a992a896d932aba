import { starterContent } from '../../../console/pages/templates/starter.ts';
import { compileContent } from '../../../core/templates/blocks/content.ts';
import { startersIn } from '../../../core/templates/starters/starters.ts';
import type { Content } from '../../../schemas/templates/block-types.ts';

/** Of the mails to begin with that need some. */
export const STARTER_VALUES = {
  firstName: 'Ada',
  plan: 'pro',
  resetUrl: 'https://example.com/reset?token=1',
  minutes: 30,
  order: {
    number: 'A-17',
    total: '24.00',
    url: 'https://example.com/orders/17',
    items: [
      { name: 'Rye bread', amount: 2, price: '8.40' },
      { name: 'Apple cake', amount: 1, price: '15.60' },
    ],
  },
  items: [
    { title: 'Slow dough', summary: 'Two days in the cold make it light.', url: 'https://example.com/dough' },
    { title: 'The stone oven', summary: 'It was built by hand.', url: 'https://example.com/oven' },
  ],
};

/** Any, where mails are not shown. */
const HERE = 'https://here.test';

/** Mails that are shown as small pictures: the console begins with a greeting too. */
export function smallMails(): Array<{ id: string; html: string }> {
  const greeting = starterContent('marketing') as unknown as Content;
  const { html } = compileContent(greeting);
  return [...startersIn('en', HERE).map((one) => ({ id: one.id, html: one.html })), { id: 'greeting', html }];
}
