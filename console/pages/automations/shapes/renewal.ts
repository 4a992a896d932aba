import { HELLO, mail, type Shape, wait } from './parts.ts';

const RENEWS = 'contactProperties.renewsAt';
const PLAN = { variable: 'contactProperties.plan', fallback: 'current' };

function days(value: number) {
  return { value, unit: 'days', direction: 'before' } as const;
}

export const renewal: Shape = {
  label: 'Renewal',
  hint: 'A notice two weeks and three days before a plan renews',
  name: 'Renewal',
  entryCriteria: { type: 'date_reached', property: RENEWS, offset: days(14), time: '09:00', yearly: false },
  steps: [
    wait(0, 'minutes'),
    mail({
      subject: 'Your plan renews in two weeks',
      previewText: 'There is nothing to do if you want to stay.',
      heading: 'Your plan renews soon',
      text: [
        HELLO,
        [{ text: 'your ' }, PLAN, { text: ' plan renews in two weeks. If you want to stay, there is nothing to do.' }],
        'If you want another plan, or none, answer this mail before then.',
      ],
    }),
    { type: 'wait_until', until: { property: RENEWS, offset: days(3) } },
    mail({
      subject: 'Three days until your plan renews',
      previewText: 'The last moment for a change.',
      heading: 'Three more days',
      text: [
        HELLO,
        [{ text: 'a short reminder: your ' }, PLAN, { text: ' plan renews in three days.' }],
        'Thank you for staying with us. If you would rather not, answer this mail today.',
      ],
    }),
  ],
};
