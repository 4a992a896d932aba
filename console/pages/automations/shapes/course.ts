import { HELLO, mail, type Shape, wait } from './parts.ts';

const MORNING = { type: 'wait_until', until: { time: '09:00', timezone: 'contact' } } as const;

export const course: Shape = {
  label: 'Course for a list',
  hint: 'Three lessons for those who join a list, each on another morning',
  name: 'Course',
  entryCriteria: { type: 'contact_added_to_list' },
  steps: [
    wait(0, 'minutes'),
    mail({
      subject: 'Lesson 1 of 3: begin with the end',
      previewText: 'Ten minutes, a sheet of paper and one question.',
      heading: 'Begin with the end',
      text: [
        HELLO,
        'welcome to our short course. In three mails you get from a wish to a plan that you can keep.',
        'Today’s lesson: write down in one sentence how you will know that you are done. Not what you will do, but what will be different.',
        'Keep the sentence. Tomorrow we make it smaller.',
      ],
    }),
    wait(1, 'days'),
    MORNING,
    mail({
      subject: 'Lesson 2 of 3: make it smaller',
      previewText: 'The first step should take less than a quarter of an hour.',
      heading: 'Make it smaller',
      text: [
        HELLO,
        'take your sentence from yesterday, and ask of it: what could be done of this in fifteen minutes?',
        'Do that today, even if it seems too little. A small thing that is done shows you more than a large one that is planned.',
      ],
    }),
    wait(1, 'days'),
    MORNING,
    mail({
      subject: 'Lesson 3 of 3: keep going',
      previewText: 'A fixed time, and someone who asks.',
      heading: 'Keep going',
      text: [
        HELLO,
        'two things help people to keep going: a fixed time in the week, and someone who asks how it went.',
        'Choose your time now, and answer this mail with it. We are glad to be the one who asks.',
      ],
    }),
  ],
};
