import { HELLO, mail, type Shape, wait } from './parts.ts';

export const form: Shape = {
  label: 'Thanks for a form',
  hint: 'A mail at once for those who send a form, after they confirm it where it asks for that',
  name: 'Thanks',
  entryCriteria: { type: 'form_submitted' },
  steps: [
    wait(0, 'minutes'),
    mail({
      subject: 'Thank you, we have your form',
      previewText: 'This is what happens next.',
      heading: 'Thank you',
      text: [
        HELLO,
        'we have what you sent us, and somebody looks at it on the next working day.',
        'Did you forget something? Answer this mail, and we add it.',
      ],
    }),
  ],
};
