import { did, HELLO, mail, on, type Shape, wait } from './parts.ts';

const ASK = { label: 'Yes, keep me on the list', href: '{{preferencesUrl}}' };

export const reConsent: Shape = {
  label: 'Re-consent',
  hint: 'Asks those of a list whether they still agree, twice, and notes their answer',
  name: 'Re-consent',
  entryCriteria: { type: 'contact_added_to_list' },
  reentry: 'once',
  steps: [
    wait(0, 'minutes'),
    mail({
      subject: 'May we still write to you?',
      previewText: 'Please confirm with one click.',
      heading: 'May we still write to you?',
      text: [
        HELLO,
        'you joined our list some time ago, and we want to be sure that you still agree to get our mail.',
        'Please confirm it on the page behind the button. Without it we will stop.',
      ],
      button: ASK,
    }),
    wait(14, 'days'),
    {
      ...{ type: 'branch', stepId: 'answered', nextStepId: 'ask-again' },
      branches: [{ branchId: 'yes', label: 'Clicked', filterCriteria: did('clicked', { withinDays: 14 }) }],
    },
    { type: 'update_contact', update: { contactProperties: { reconsented: true } }, ...on('answered', 'yes') },
    { type: 'exit', ...on('answered', 'yes') },
    wait(0, 'minutes', { stepId: 'ask-again' }),
    mail({
      subject: 'A last question about our mail',
      previewText: 'Without an answer we stop writing.',
      heading: 'Shall we stop?',
      text: [
        HELLO,
        'two weeks ago we asked whether we may still write to you. We have not heard from you, so we ask a last time.',
        'If you do nothing, you will get no more mail of this kind from us.',
      ],
      button: ASK,
    }),
    wait(14, 'days'),
    {
      ...{ type: 'branch', stepId: 'answered-late', nextStepId: 'no-answer' },
      branches: [{ branchId: 'yes', label: 'Clicked', filterCriteria: did('clicked', { withinDays: 14 }) }],
    },
    { type: 'update_contact', update: { contactProperties: { reconsented: true } }, ...on('answered-late', 'yes') },
    { type: 'exit', ...on('answered-late', 'yes') },
    { type: 'update_contact', stepId: 'no-answer', update: { contactProperties: { reconsented: false } } },
  ],
};
