import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { readAttachments } from '../../core/mail/accept/attachments.ts';
import { ATTACHMENT_BYTES_MAX } from '../../schemas/mail/mails.ts';
import { HOLD_MS_MAX } from './cpu.ts';
import { leastHold } from './hold.ts';

const origin = { at: new Date(), seed: new ObjectId() };
const decode = async (content: string) =>
  (await readAttachments([{ fileName: 'a', content }], origin, { allowPrivateUrls: [] })).files[0]?.bytes;

describe('Decoding attachments', () => {
  it(`holds the event loop for less than ${HOLD_MS_MAX} ms, whatever their length and their line breaks`, async () => {
    const content = randomBytes(ATTACHMENT_BYTES_MAX).toString('base64');
    const broken = content.slice(0, 30_000_000).replace(/.{76}/g, '$&\r\n');
    for (const text of [content, broken, `${' '.repeat(50_000_000)}!`, '='.repeat(50_000_000)])
      expect((await leastHold(() => decode(text).catch(() => null))).holdMs).to.be.lessThan(HOLD_MS_MAX);
  }).timeout(60_000);

  it(`holds the event loop for less than ${HOLD_MS_MAX} ms, however many there are`, async () => {
    const content = randomBytes(37_500).toString('base64').replace(/../g, '$& ');
    const inputs = Array.from({ length: 400 }, () => ({ fileName: 'a', content }));
    const decodeAll = () => readAttachments(inputs, origin, { allowPrivateUrls: [] });
    expect((await leastHold(decodeAll)).holdMs).to.be.lessThan(HOLD_MS_MAX);
  }).timeout(60_000);

  it('gives the same bytes wherever white space is and a block ends', async () => {
    const length = fc.integer({ min: 1_048_500, max: 1_048_700 });
    await fc.assert(
      fc.asyncProperty(length, fc.nat(3), fc.nat(2_000_000), async (size, spaces, at) => {
        const bytes = randomBytes(size + 200_000);
        const text = bytes.toString('base64');
        const space = ' \n'.repeat(spaces);
        expect((await decode(text.slice(0, at) + space + text.slice(at) + space))?.equals(bytes)).to.equal(true);
      }),
      { numRuns: 30 },
    );
    const bytes = Buffer.alloc(1_000_002, 1);
    expect((await decode(bytes.toString('base64') + '\n'.repeat(3_000_000)))?.equals(bytes)).to.equal(true);
  });

  it('refuses what is not base64 anywhere in a long text', async () => {
    const text = Buffer.alloc(3_000_000).toString('base64');
    for (const at of [0, 1_048_575, 1_048_576, 3_999_998])
      for (const wrong of ['!', '=', '-', '_', '\u0141', '\u4141']) {
        const content = text.slice(0, at) + wrong + text.slice(at + 1);
        const refused = await decode(content).catch((error: Error) => error.message);
        expect(refused, `${wrong} at ${at}`).to.equal('attachments/0/content must be base64.');
      }
    for (const content of ['', ' \n', 'AAAAA', 'A==='])
      expect(await decode(content).catch((error: Error) => error.message)).to.contain('must be base64');
  });
});
