import { emailField, idReference } from '../common.ts';
import { inlinePicturesField } from '../mail/mails.ts';
import { givenTags } from '../mail/tags.ts';
import { contentField } from '../templates/blocks.ts';
import { line } from './values.ts';

/** The mail of an email step. */

const SUBJECT_MAX = 998;
const PREVIEW_MAX = 200;
const HTML_MAX = 1_000_000;

export const email = {
  title: 'AutomationEmail',
  type: 'object',
  properties: {
    templateId: { ...idReference, description: 'An existing template; or give htmlTemplate, or content, and subject.' },
    templateName: line(200),
    htmlTemplate: { type: 'string', maxLength: HTML_MAX },
    content: contentField,
    editorJson: {
      type: 'object',
      description:
        'As answers have it: the content blocks of which htmlTemplate was made. Kept while htmlTemplate is what they make; other HTML is code.',
    },
    subject: line(SUBJECT_MAX),
    previewText: line(PREVIEW_MAX),
    senderEmail: emailField,
    senderName: line(200),
    senderReplyToEmail: emailField,
    senderReplyToName: line(200),
    projectId: {
      ...idReference,
      description: "Kept and answered as it is given; the mail is always of the automation's project.",
    },
    whenCapped: {
      enum: ['skip', 'wait'],
      description:
        'For a person who has had as many marketing mails as the frequency cap of the project allows. skip, the default: the mail is not sent (suppressed, FREQUENCY_CAP). wait: it waits until there is room, where that is within seven days of its step, while the person goes on to the next step.',
    },
    inlinePictures: inlinePicturesField,
    tags: { ...givenTags, description: `Of the mails of this step. ${givenTags.description}` },
  },
} as const;
