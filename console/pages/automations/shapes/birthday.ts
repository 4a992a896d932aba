import { HELLO, mail, type Shape, wait } from './parts.ts';

export const birthday: Shape = {
  label: 'Birthday',
  hint: 'A present in the morning of the day, each year',
  name: 'Birthday',
  entryCriteria: {
    type: 'date_reached',
    property: 'contactProperties.birthday',
    time: '09:00',
    yearly: true,
  },
  steps: [
    wait(0, 'minutes'),
    mail({
      subject: 'Happy birthday, {{firstName default="and all the best"}}',
      previewText: 'A small present from us.',
      heading: 'Happy birthday',
      text: [
        HELLO,
        'all of us wish you a good day, and a good year after it.',
        'This is our present: answer this mail within the next two weeks, and your next order goes without postage.',
      ],
    }),
  ],
};
