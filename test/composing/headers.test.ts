import { expect } from 'chai';
import { headerProblems, isReservedHeader } from '../../core/mail/compose/headers.ts';

const RESERVED = [
  'Bcc',
  'BCC',
  'bcc',
  'To',
  'From',
  'Cc',
  'Sender',
  'Reply-To',
  'Return-Path',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'content-disposition',
  'DKIM-Signature',
  'ARC-Seal',
  'ARC-Message-Signature',
  'Received',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Feedback-ID',
  'Auto-Submitted',
  'Resent-To',
  'X-SES-CONFIGURATION-SET',
  'X-SMTPAPI',
  'X-Mailgun-Tag',
];

describe('custom headers', () => {
  it('may be twenty of any other name', () => {
    const headers = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`X-A-${index}`, 'v']));
    expect(headerProblems(headers)).to.deep.equal([]);
    expect(
      headerProblems({
        'X-Entity-Ref-ID': 'é',
        References: '<1@x.test>',
        'List-Id': 'l',
        [`X-${'a'.repeat(74)}`]: 'v'.repeat(1_000),
      }),
    ).to.deep.equal([]);
    expect(headerProblems({})).to.deep.equal([]);
  });

  for (const name of RESERVED)
    it(`cannot override ${name}`, () => {
      expect(isReservedHeader(name)).to.equal(true);
      expect(headerProblems({ [name]: 'x' })).to.deep.equal([
        { name, message: 'is set by this service and cannot be overridden' },
      ]);
    });

  it('need a name of letters, digits and hyphens', () => {
    for (const name of ['bcc ', 'X A', 'X:A', 'X_A', '', `X-${'a'.repeat(75)}`, 'X-\r\nBcc', 'Xé'])
      expect(headerProblems({ [name]: 'v' })[0]?.message, name).to.match(/1 to 76 letters/);
  });

  it('need a value that is one line of text', () => {
    for (const value of [
      'a\r\nBcc: x@y.z',
      'a\n',
      'a\rb',
      'a\0',
      'a\u000b',
      'a\u2028b',
      'a\u0085b',
      '\ud800',
      'v'.repeat(1_001),
      { prepared: true, value: 'v\r\nX-Evil: 1' },
      ['a'],
      1,
      true,
      null,
    ])
      expect(headerProblems({ 'X-A': value }), String(value)).to.have.lengthOf(1);
  });

  it('are refused as a whole when they are no object, or more than twenty', () => {
    for (const headers of [null, 'x', [], 5]) expect(headerProblems(headers)[0]?.name).to.equal('');
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, 'v']));
    expect(headerProblems(many)[0]?.message).to.match(/at most 20/);
    expect(headerProblems({ 'X-A': '1', 'x-a': '2' })).to.deep.equal([{ name: 'x-a', message: 'is given twice' }]);
  });
});
