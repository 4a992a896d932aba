import { PLACEHOLDER } from '../../../mail-editor/model/fresh.ts';
import { HELLO, mail, type Shape, untilAct, wait } from './parts.ts';

/** A page of the sender: clicks on pages of preferences are not counted. */
const ASK = { label: 'Yes, keep me on the list', href: PLACEHOLDER };

export const reConsent: Shape = {
  label: 'Re-consent',
  hint: 'Asks those of a list whether they still agree, twice, and notes their answer',
  name: 'Re-consent',
  entryCriteria: { type: 'contact_added_to_list' },
  reentry: 'once',
  steps: [
    wait(0, 'minutes'),
    mail(
      {
        subject: 'May we still write to you?',
        previewText: 'Please confirm with one click.',
        heading: 'May we still write to you?',
        text: [
          HELLO,
          'you joined our list some time ago, and we want to be sure that you still agree to get our mail.',
          'Please confirm it on the page behind the button. Without it we will stop.',
        ],
        button: ASK,
      },
      { stepId: 'ask' },
    ),
    untilAct('answered', 'clicked', { mail: 'ask', days: 14, next: 'yes', else: 'ask-again' }),
    mail(
      {
        subject: 'A last question about our mail',
        previewText: 'Without an answer we stop writing.',
        heading: 'Shall we stop?',
        text: [
          HELLO,
          'two weeks ago we asked whether we may still write to you. We have not heard from you, so we ask a last time.',
          'If you do nothing, you will get no more mail of this kind from us.',
        ],
        button: ASK,
      },
      { stepId: 'ask-again' },
    ),
    untilAct('answered-late', 'clicked', { mail: 'ask-again', days: 14, next: 'yes', else: 'no-answer' }),
    { type: 'update_contact', stepId: 'yes', update: { contactProperties: { reconsented: true } } },
    { type: 'exit' },
    { type: 'update_contact', stepId: 'no-answer', update: { contactProperties: { reconsented: false } } },
  ],
};
