import { expect } from 'chai';
import { signatureVerdicts } from '../support/mail/signatures.ts';
import { type Post, startPost } from './support.ts';

describe('A mail with a large attachment', function () {
  this.timeout(60_000);
  let post: Post;
  before(async () => {
    post = await startPost();
  });
  after(() => post.stop());

  it('arrives byte by byte with valid signatures, as a small one does', async () => {
    const [domain] = (await post.own.client.get('/domains')).body.data.domains;
    for (const size of [10, 900_000, 1_000_001, 5_000_000]) {
      const bytes = Buffer.from(Array.from({ length: size }, (_, index) => (index * 7 + (index >> 8)) % 251));
      const answer = await post.send({
        to: { email: `to${size}@in.test` },
        html: '<p>Hello</p>\n.\n..line',
        attachments: [{ fileName: 'a.bin', content: bytes.toString('base64') }],
      });
      const { mail, raw } = await post.arrived(answer);
      expect(Buffer.from(mail.attachments[0]!.content as ArrayBuffer).equals(bytes), `${size}`).to.equal(true);
      expect(mail.html).to.include('\n.\n..line');
      expect(await signatureVerdicts(raw, domain)).to.deep.equal(['pass', 'pass']);
    }
    expect(post.sink.ledger.badLines).to.equal(0);
  });
});
