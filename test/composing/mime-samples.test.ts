import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  compileMessage,
  composeMessage,
  type MessageParts,
  type RecipientParts,
} from '../../core/mail/compose/mime/compose.ts';

const FROM = { email: 'news@out.test', name: 'Käthe’s Shop' };
const ANNA: RecipientParts = {
  to: [{ email: 'anna@in.test', name: 'Anna Müller' }],
  messageId: '692052c0a1b2c3d4e5f60718@out.test',
  date: new Date('2026-11-21T12:00:00Z'),
};

/** One mail of each kind, byte by byte. After a wanted change: UPDATE_MAILS=1, and read the difference. */
const MAILS: Record<string, { parts: Omit<MessageParts, 'boundary' | 'from'>; recipient?: Partial<RecipientParts> }> = {
  transactional: {
    parts: {
      subject: ['Your order 4711'],
      html: ['<p>Thank you, Anna.</p>\n'],
      text: ['Thank you, Anna.\n'],
      headers: { 'X-Order': '4711' },
    },
  },
  campaign: {
    parts: {
      subject: ['Winter in ', 0],
      html: [
        '<html><body style="margin:0"><p>Hallo ',
        0,
        ',</p>\n<p>über 30 % Rabatt…</p><a href="',
        1,
        '">Los</a><img src="',
        2,
        '"></body></html>\n',
      ],
      text: ['Hallo ', 0, ',\n\nüber 30 % Rabatt: ', 1, '\n'],
      listId: 'ABC123.64f0c0ff.out.test',
      feedbackId: '692052c0:64f0c0ff:campaign:everpost',
      bulk: true,
    },
    recipient: {
      unsubscribe: { url: 'https://mail.out.test/u/TOKEN', mailto: 'u+TOKEN@in.out.test?subject=unsubscribe' },
      values: [
        'Köln',
        'https://mail.out.test/t/c/692052c0a1b2c3d4e5f60718.0.AbCdEfGhIjKlMnOpQrStUvWxYz0123456789',
        'https://mail.out.test/t/o/692052c0.gif',
      ],
    },
  },
  reply: {
    parts: {
      subject: ['Re: Question'],
      text: ['Yes.'],
      cc: [{ email: 'boss@in.test', name: null }],
      replyTo: { email: 'help@out.test', name: 'Help' },
      inReplyTo: '<q1@in.test>',
      references: '<q0@in.test> <q1@in.test>',
      automatic: true,
      attachments: [
        {
          fileName: 'Übersicht.txt',
          contentType: 'text/plain',
          contentId: null,
          description: 'All of it',
          bytes: Buffer.from('hello'),
        },
      ],
    },
  },
};

describe('mails as they go out', () => {
  for (const [name, { parts, recipient }] of Object.entries(MAILS))
    it(`${name}.eml is unchanged`, () => {
      const skeleton = compileMessage({ ...parts, from: FROM, boundary: '692052c0a1b2c3d4e5f60718' });
      const message = composeMessage(skeleton, { ...ANNA, ...recipient });
      const file = new URL(`../fixtures/mails/${name}.eml`, import.meta.url);
      if (process.env.UPDATE_MAILS) writeFileSync(file, message, 'latin1');
      expect(message).to.equal(readFileSync(file, 'latin1'));
    });
});
