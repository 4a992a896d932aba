import { did, HELLO, mail, on, type Shape, wait } from './parts.ts';

export const basket: Shape = {
  label: 'Basket',
  hint: 'Two reminders of a basket that was left, until the person orders',
  name: 'Basket',
  events: [
    { eventName: 'basket_abandoned', properties: [{ propertyName: 'url', type: 'string' }] },
    { eventName: 'order_placed' },
  ],
  entryCriteria: { type: 'event_trigger' },
  steps: [
    wait(4, 'hours'),
    mail({
      subject: 'You left something in your basket',
      previewText: 'We kept it for you.',
      heading: 'Your basket is waiting',
      text: [
        HELLO,
        'you chose something with us and did not order it yet. We kept your basket as it was.',
        'Did something go wrong, or is a question open? Answer this mail, and we will help.',
      ],
      button: { label: 'Back to my basket', href: '{{event.properties.url}}', isOnlyIf: 'event.properties.url' },
    }),
    wait(1, 'days'),
    {
      ...{ type: 'branch', stepId: 'ordered', nextStepId: 'once-more' },
      branches: [
        {
          ...{ branchId: 'yes', label: 'Ordered' },
          filterCriteria: did('event', { eventName: 'order_placed', withinDays: 2 }),
        },
      ],
    },
    { type: 'exit', ...on('ordered', 'yes') },
    wait(0, 'minutes', { stepId: 'once-more' }),
    mail({
      subject: 'Shall we keep your basket?',
      previewText: 'We keep it for another two days.',
      heading: 'Still thinking about it?',
      text: [
        HELLO,
        'take your time. Your basket stays with us for two more days, and then we put the things back.',
        'This is our last reminder.',
      ],
      button: { label: 'Back to my basket', href: '{{event.properties.url}}', isOnlyIf: 'event.properties.url' },
    }),
  ],
};
