import { expect } from 'chai';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { type Post, startPost } from './support.ts';

describe('A mail with a large attachment', function () {
  this.timeout(60_000);
  let post: Post;
  before(async () => {
    post = await startPost();
  });
  after(() => post.stop());

  it('arrives byte by byte with a valid signature, as a small one does', async () => {
    const { dkim } = (await post.own.client.get('/domains')).body.data.domains[0].dnsRecords;
    const resolver = async (name: string) => (name === dkim.name ? [[dkim.value]] : []);
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
      const { results } = await dkimVerify(Buffer.from(raw, 'latin1'), { resolver });
      expect(results.map(({ status }) => status.result)).to.deep.equal(['pass']);
    }
    expect(post.sink.ledger.badLines).to.equal(0);
  });
});
