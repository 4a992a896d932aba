import { did, HELLO, mail, on, type Shape, wait } from './parts.ts';

export const winBack: Shape = {
  label: 'Win back',
  hint: 'Two mails for customers who have not ordered again for two months',
  name: 'Win back',
  events: [{ eventName: 'order_placed' }],
  entryCriteria: { type: 'event_trigger' },
  steps: [
    wait(60, 'days'),
    {
      ...{ type: 'branch', stepId: 'again', nextStepId: 'ask' },
      branches: [
        {
          ...{ branchId: 'yes', label: 'Ordered again' },
          filterCriteria: did('event', { eventName: 'order_placed', withinDays: 59 }),
        },
      ],
    },
    { type: 'exit', ...on('again', 'yes') },
    wait(0, 'minutes', { stepId: 'ask' }),
    mail({
      subject: 'It has been a while',
      previewText: 'How did it go with your last order?',
      heading: 'How did it go?',
      text: [
        HELLO,
        'it has been two months since your last order. Was everything as you hoped?',
        'If something was not right, answer this mail and we will put it right. If it was, we would be glad to see you again.',
      ],
    }),
    wait(14, 'days'),
    mail({
      subject: 'Something for your next order',
      previewText: 'A small thank you, for this month.',
      heading: 'A small thank you',
      text: [
        HELLO,
        'good customers are the reason that we do this. Answer this mail with your next order, and shipping is on us this month.',
        'This is our last mail about it.',
      ],
    }),
  ],
};
