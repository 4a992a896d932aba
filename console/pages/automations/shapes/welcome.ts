import { HELLO, mail, type Shape, untilAct, wait } from './parts.ts';

export const welcome: Shape = {
  label: 'Welcome',
  hint: 'A mail at once for each new contact, a reminder for those who do not open it, and a tip for all',
  name: 'Welcome',
  entryCriteria: { type: 'contact_created' },
  reentry: 'once',
  steps: [
    wait(0, 'minutes'),
    mail(
      {
        subject: 'Welcome, and thank you',
        previewText: 'Good to have you here. This is what you can expect.',
        heading: 'Welcome',
        text: [
          HELLO,
          'thank you for joining us. You will hear from us when there is something worth your time: news, tips and offers, and never more than a mail or two a week.',
          'Is there a question already? Answer this mail. A person reads it.',
        ],
      },
      { stepId: 'welcome' },
    ),
    untilAct('opened', 'opened', { mail: 'welcome', days: 3, next: 'tip-later', else: 'remind' }),
    mail(
      {
        subject: 'In case you missed it',
        previewText: 'Our welcome, once more and shorter.',
        heading: 'Good to have you here',
        text: [
          HELLO,
          'mail gets lost, so here is the short form: you are on our list, we write seldom, and you can answer every mail.',
          'If you would rather not hear from us, one click below is enough.',
        ],
      },
      { stepId: 'remind' },
    ),
    wait(2, 'days', { stepId: 'tip-later' }),
    mail({
      subject: 'A first tip for you',
      previewText: 'The one thing that helps most people at the beginning.',
      heading: 'How to begin',
      text: [
        HELLO,
        'most people who are new here begin small: they choose one thing that they want to get done, and leave the rest for later.',
        'What is yours? Answer with a line or two, and we will send you what has helped others with it.',
      ],
    }),
  ],
};
