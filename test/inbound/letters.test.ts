import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { messageIdOf } from '../../core/mail/compose/links.ts';
import { mailLocalPart } from '../../core/mail/compose/tokens.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { engagementOf, receivingDomain, refOf, sentMessage, storedMessage } from '../feedback/support.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';

const HOST = 'mail.example.com';
const ADA = 'ada@sender.example.net';
const LONG = 'Yes, please send it to me. This line is so long that the program breaks it';
const YES = 'Yes, please send it to me. Grüße';
const ASKED = 'Shall we send you the catalogue?';
const ASKED_MORE = `${ASKED} It has every page that a person could wish for.`;

type File = [filename: string, contentType: string];

/** Replies to a mail of ours: the first lines of the text, the lines that quote, what the HTML holds, and the files. */
const replies: Array<{ program: string; begins: string[]; quotes: string[]; html?: RegExp[]; files?: File[] }> = [
  { program: 'gmail', begins: [`${YES} – Ada`], quotes: [`> ${ASKED}`], html: [/Grüße – Ada/, /class="gmail_quote/] },
  {
    program: 'outlook',
    begins: [YES],
    quotes: [ASKED],
    html: [/Grüße<o:p>/, /cid:image001\.png@01DA0000\.00000000/],
    files: [['image001.png', 'image/png']],
  },
  {
    program: 'outlook-tnef',
    begins: ['Yes, please send it to me.'],
    quotes: [ASKED],
    files: [['winmail.dat', 'application/ms-tnef']],
  },
  {
    program: 'apple-mail',
    begins: [YES],
    quotes: [`> ${ASKED}`],
    html: [/Grüße/, /<blockquote type="cite">/],
    files: [['order.pdf', 'application/pdf']],
  },
  {
    program: 'apple-mail-flowed',
    begins: [`${LONG}, and the address is https://example.com/a/very/long/address/of-a-page .`],
    quotes: [`> ${ASKED_MORE}`, '>> An older question.'],
  },
  {
    program: 'thunderbird',
    begins: [
      ...['Am 17.11.26 um 10:58 schrieb Support:', `> ${ASKED_MORE}`, '>> An older question.', ''],
      // Stuffed lines lose their space, and neither they nor the signature are joined.
      ...[`${LONG}.`, 'From here on it is stuffed.', '> This is no quote.', '', 'Grüße', ''],
      ...['-- ', 'Ada Example', 'Example Works'],
    ],
    quotes: [`> ${ASKED_MORE}`, '>> An older question.'],
  },
  {
    program: 'mutt',
    // A space at the end of a line joins nothing where no flowed format is named.
    begins: [
      ...['On Tue, Nov 17, 2026 at 10:58:00AM +0100, Support wrote:', `> ${ASKED}`, ''],
      ...['Yes, please send it to me. ', 'This line stands alone.', '', '-- ', 'Ada'],
    ],
    quotes: [`> ${ASKED}`],
  },
  { program: 'k9', begins: [YES], quotes: [`>${ASKED}`] },
  { program: 'horde', begins: [`${LONG}. Grüße`], quotes: [`> ${ASKED_MORE}`] },
];

describe('Letters as mail programs write them', () => {
  let environment: Environment;
  let door: Door;
  let domainName: string;
  before(async () => {
    environment = await startEnvironment({ MAIL_HOST: HOST, DNS_SERVERS: '127.0.0.1:9' });
    door = await openDoor(environment);
    domainName = await receivingDomain(environment, environment.own);
  });
  after(async () => {
    await door.server.close();
    await environment.stop();
  });

  const addressOf = (message: Message, kind: 'b' | 'u') =>
    `${mailLocalPart(environment.deps.config, kind, refOf(message))}@${HOST}`;
  const suppressionsOf = ({ email }: Message) =>
    environment.deps.db.suppressions.find({ projectId: environment.own.project._id, email }).toArray();

  async function bring(program: string, message: Message, to = `support@${domainName}`, from = ADA) {
    const answered = messageIdOf({ messageId: message._id }, domainName);
    const raw = readFileSync(new URL(`../fixtures/inbound/letters/${program}.eml`, import.meta.url), 'utf8')
      .replaceAll('{{to}}', to)
      .replaceAll('{{answered}}', answered);
    const { data } = await door.send({ from, to, raw });
    expect(data).to.match(/^250/);
  }

  async function storedReplyTo({ _id }: Message) {
    const found = await environment.deps.db.inboundMessages.findOne({
      projectId: environment.own.project._id,
      inReplyToEmailActivityId: _id,
    });
    return (await environment.own.client.get(`/inbound/messages/${found?._id ?? new ObjectId()}`)).body.data;
  }

  for (const { program, begins, quotes, html, files = [] } of replies)
    it(`A reply of ${program} joins its conversation, with its words, its quote and its files.`, async () => {
      const message = await sentMessage(environment, environment.own);
      await bring(program, message);
      const reply = await storedReplyTo(message);
      expect(reply).to.deep.include({ from: { email: ADA, name: reply.from.name }, status: 'PROCESSED' });
      expect(reply.from.name).to.match(/^(Ada Example|Example, Ada)$/);
      expect(reply.subject).to.match(/^re: Our news of this week$/i);
      const lines = reply.text.trim().split(/\r?\n/);
      expect(lines.slice(0, begins.length)).to.deep.equal(begins);
      expect(lines).to.include.members(quotes);
      expect(reply.html === null, 'no html').to.equal(html === undefined);
      for (const part of html ?? []) expect(reply.html).to.match(part);
      const kept = reply.attachments.map(({ filename, contentType }: Record<string, string>) => [
        filename,
        contentType,
      ]);
      expect(kept).to.deep.equal(files);
    });

  for (const program of ['exchange-away', 'gmail-away'])
    it(`An automatic answer (${program}) is a letter in the conversation at an address that people read, and nothing at a return path.`, async () => {
      const message = await sentMessage(environment, environment.own);
      await bring(program, message, undefined, '');
      const { headers } = await storedReplyTo(message);
      expect(headers['auto-submitted']).to.match(/^auto-/);
      const other = await sentMessage(environment, environment.own);
      for (const from of ['', ADA]) await bring(program, other, addressOf(other, 'b'), from);
      expect(await storedReplyTo(other)).to.equal(undefined);
      expect(await storedMessage(environment, other)).to.deep.equal(other);
      expect(await suppressionsOf(other)).to.deep.equal([]);
    });

  for (const program of ['gmail-unsubscribe', 'apple-mail-unsubscribe'])
    it(`The letter of ${program} unsubscribes the address that the mail went to.`, async () => {
      const message = await sentMessage(environment, environment.own);
      await bring(program, message, addressOf(message, 'u'));
      expect((await suppressionsOf(message)).map(({ reason }) => reason)).to.deep.equal(['UNSUBSCRIBE']);
      expect((await engagementOf(environment, message))?.unsubscribedAt).to.be.instanceOf(Date);
    });
});
