import { HELLO, mail, type Shape, untilAct, wait } from './parts.ts';

export const reEngage: Shape = {
  label: 'Re-engage',
  hint: 'For a segment of those who no longer read: two mails, and a mark for those who stay silent',
  name: 'Re-engage',
  entryCriteria: { type: 'contact_added_to_list' },
  steps: [
    wait(0, 'minutes'),
    mail(
      {
        subject: 'Still interested?',
        previewText: 'One click tells us what you would like to get.',
        heading: 'Do you still want our mail?',
        text: [
          HELLO,
          'you have not opened our mail for some time. That is fine: people change, and so do their interests.',
          'Choose what you would like to get, or nothing at all.',
        ],
        button: { label: 'Choose my mail', href: '{{preferencesUrl}}' },
      },
      { stepId: 'ask' },
    ),
    untilAct('back', 'opened', { mail: 'ask', days: 7, next: 'reads', else: 'ask-again' }),
    mail(
      {
        subject: 'Our last mail, unless you want more',
        previewText: 'Without an answer we will be quiet.',
        heading: 'Shall we be quiet?',
        text: [
          HELLO,
          'we do not want to fill your inbox. If we do not hear from you, this was our last mail of this kind.',
          'If you want to stay, choose below what you would like to get.',
        ],
        button: { label: 'I want to stay', href: '{{preferencesUrl}}' },
      },
      { stepId: 'ask-again' },
    ),
    untilAct('back-late', 'opened', { mail: 'ask-again', days: 7, next: 'reads', else: 'silent' }),
    { type: 'update_contact', stepId: 'reads', update: { contactProperties: { silent: false } } },
    { type: 'exit' },
    { type: 'update_contact', stepId: 'silent', update: { contactProperties: { silent: true } } },
  ],
};
