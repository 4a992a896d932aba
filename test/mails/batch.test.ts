import { expect } from 'chai';
import { type Post, SENDER, startPost } from '../delivery/support.ts';
import { until } from '../support/wait.ts';

const FROM = { email: SENDER };
const GONE = 'A-00000000000000000000';

describe('POST /mails/batch', () => {
  let post: Post;
  before(async () => {
    post = await startPost();
  });
  after(() => post.stop());

  let number = 0;
  const mail = (fields: object = {}) => {
    number += 1;
    return { to: { email: `p${number}@in.test` }, from: FROM, subject: `s${number}`, text: 'x', ...fields };
  };
  const batch = (mails: unknown[], more: object = {}, headers?: Record<string, string>) =>
    post.own.client.post('/mails/batch', { mails, ...more }, headers);
  const stored = async () => {
    const { messages, contents } = post.environment.deps.db;
    return (await messages.countDocuments({})) + (await contents.countDocuments({}));
  };
  const emailsOf = async (batchId: string) =>
    (await post.own.client.get(`/emails?batchId=${batchId}&limit=100`)).body.data.emails;

  async function refused(mails: unknown[], more: object, [status, code]: [number, string], details: RegExp) {
    const before = await stored();
    const answer = await batch(mails, more);
    expect([answer.status, answer.body.error?.code], answer.text.slice(0, 500)).to.deep.equal([status, code]);
    expect(answer.body.error.details).to.match(details);
    expect(await stored()).to.equal(before);
    return answer.body.error;
  }

  it('sends 100 different mails, each to its recipients, and answers them in order', async () => {
    const { templateId } = (
      await post.own.client.post('/templates', {
        templateName: 'T',
        subject: 'Of {{n}}',
        emailTemplate: '<p>{{n}}</p>',
      })
    ).body.data;
    const mails = Array.from({ length: 100 }, (_, index) => {
      if (index % 3 === 0)
        return mail({ templateId, subject: undefined, text: undefined, dynamicData: { n: `N${index}` } });
      return mail(index % 3 === 1 ? { html: '<p>y</p>' } : { cc: [{ email: `cc${index}@in.test` }] });
    });
    const { status, body } = await batch(mails);
    expect(status, JSON.stringify(body).slice(0, 500)).to.equal(200);
    const { batchId, results, ...counts } = body.data;
    expect(counts).to.deep.equal({ totalRecipients: 133, successCount: 100, failedCount: 0 });
    expect(results.map(({ index }: { index: number }) => index)).to.deep.equal(mails.map((_, index) => index));
    await post.sink.ledger.wait(100, 20_000);
    for (const [index, { emailId }] of results.entries()) {
      const arrived = post.sink.ledger.messages.find(({ messageId }) => messageId?.includes(emailId))!;
      const { to } = mails[index] as { to: { email: string } };
      expect(arrived.to).to.deep.equal(index % 3 === 2 ? [to.email, `cc${index}@in.test`] : [to.email]);
      expect(arrived.raw).to.include(index % 3 === 0 ? `Subject: Of N${index}` : `Subject: s`);
    }
    expect(post.sink.ledger.duplicates).to.equal(0);
    const listed = await emailsOf(batchId);
    expect(listed.map(({ id }: { id: string }) => id)).to.have.members(
      results.map(({ emailId }: { emailId: string }) => emailId),
    );
  });

  it('strict: a mail that is refused in any way refuses the call with its index, and nothing is written', async () => {
    const cases: Array<[object, [number, string], RegExp]> = [
      [{ to: { email: 'none' } }, [400, 'VALIDATION_ERROR'], /^mails\/1\/to\/email: must be an email address$/],
      [{ to: [FROM] }, [400, 'VALIDATION_ERROR'], /^mails\/1\/to: must be an object/],
      [{ from: undefined, text: 5 }, [400, 'VALIDATION_ERROR'], /^mails\/1\/from: is required; mails\/1\/text: must/],
      [{ text: undefined }, [400, 'VALIDATION_ERROR'], /^mails\/1\/html: is required/],
      [{ headers: { Subject: 'x' } }, [400, 'VALIDATION_ERROR'], /^mails\/1\/headers\/Subject/],
      [{ templateId: GONE }, [404, 'TEMPLATE_NOT_FOUND'], /^mails\/1\/templateId/],
      [{ unsubscribeGroupId: 'ZZZZZZ' }, [404, 'SUPPRESSION_GROUP_NOT_FOUND'], /^mails\/1\/unsubscribeGroupId/],
      [{ from: { email: 'a@unknown.test' } }, [422, 'DOMAIN_NOT_VERIFIED'], /^mails\/1\/from\/email/],
      [{ text: undefined, ...slow() }, [422, 'TEMPLATE_RENDER_FAILED'], /^mails\/1$/],
      [{ attachments: [{ fileName: 'a', content: '!' }] }, [400, 'VALIDATION_ERROR'], /^mails\/1\/attachments\/0/],
    ];
    for (const [fields, expected, details] of cases) {
      const error = await refused([mail(), mail(fields), mail()], {}, expected, details);
      expect(error.message).to.contain('mail 1 is refused: ');
      await refused([mail(), mail(fields)], { mode: 'strict' }, expected, details);
    }
  });

  it('partial: each mail is queued or refused by itself, and the answer is always 200', async () => {
    const bad = [
      mail({ to: { email: 'none' } }),
      mail({ templateId: GONE }),
      mail({ from: { email: 'a@unknown.test' } }),
      mail({ text: undefined, ...slow() }),
      'no mail',
    ];
    const { status, body } = await batch([mail(), ...bad, mail({ html: '<p>x</p>' })], { mode: 'partial' });
    expect(status).to.equal(200);
    const { batchId, results, ...counts } = body.data;
    expect(counts).to.deep.equal({ totalRecipients: 2, successCount: 2, failedCount: 5 });
    const [first, ...others] = results;
    const last = others.pop();
    expect([first.index, last.index]).to.deep.equal([0, 6]);
    expect(await emailsOf(batchId)).to.have.length(2);
    expect(others.map(({ error }: { error: { code: string; details?: string } }) => error.code)).to.deep.equal([
      ...['VALIDATION_ERROR', 'TEMPLATE_NOT_FOUND', 'DOMAIN_NOT_VERIFIED'],
      ...['TEMPLATE_RENDER_FAILED', 'VALIDATION_ERROR'],
    ]);
    expect(others[0]).to.deep.include({ index: 1 });
    expect(others[0].error.details).to.equal('to/email: must be an email address');
    const before = await stored();
    const none = await batch(bad, { mode: 'partial' });
    expect([none.status, none.body.data.successCount, none.body.data.failedCount]).to.deep.equal([200, 0, 5]);
    expect(await stored()).to.equal(before);
  });

  it('a suppressed address is no refusal: its mail has an emailId and is suppressed', async () => {
    const emails = ['no@in.test'];
    await post.own.client.post('/suppression-groups/emails/suppress', { emails, isGlobal: true, reason: 'COMPLAINT' });
    const { status, body } = await batch([mail({ to: { email: 'no@in.test' } }), mail()]);
    expect([status, body.data.successCount]).to.deep.equal([200, 2]);
    const [stopped, other] = body.data.results;
    expect((await post.settled(stopped.emailId, 'suppressed')).suppressedBy.reason).to.equal('COMPLAINT');
    expect((await post.settled(other.emailId, 'sent')).status).to.equal('sent');
  });

  it('takes 1 to 100 mails and the modes that there are; the call itself is refused in both modes', async function () {
    this.timeout(120_000);
    for (const mode of ['strict', 'partial']) {
      const wrong = [400, 'VALIDATION_ERROR'] as [number, string];
      await refused([], { mode }, wrong, /mails: must have at least one mail/);
      await refused(Array(101).fill(mail()), { mode }, wrong, /mails: must hold 100 entries at most/);
    }
    const half = { attachments: [{ fileName: 'a', content: Buffer.alloc(21 * 1024 * 1024).toString('base64') }] };
    const tooLarge = /^mails: must have 41943040 bytes of attachments/;
    await refused([mail(half), mail(half)], { mode: 'partial' }, [400, 'VALIDATION_ERROR'], tooLarge);
    await refused([mail()], { mode: 'most' }, [400, 'VALIDATION_ERROR'], /mode: must be one of strict, partial/);
    const { status, body } = await post.own.client.post('/mails/batch', { mails: mail() });
    expect([status, body.error.details]).to.deep.equal([400, 'mails: must be an array']);
  });

  it('delivers the attachments of each mail with that mail', async () => {
    const attached = (name: string, size: number) => ({
      attachments: [{ fileName: name, content: Buffer.alloc(size, name).toString('base64') }],
    });
    const { body } = await batch([mail(attached('large', 1_200_000)), mail(attached('small', 10)), mail()]);
    const names = await Promise.all(
      body.data.results.map(async ({ emailId }: { emailId: string }) => {
        const answer = { body: { data: { emailId } }, text: emailId } as Parameters<Post['arrived']>[0];
        return (await post.arrived(answer)).mail.attachments.map(({ filename, content }) => [
          filename,
          Buffer.from(content as ArrayBuffer).length,
        ]);
      }),
    );
    expect(names).to.deep.equal([[['large', 1_200_000]], [['small', 10]], []]);
  });

  it('a repeat with the same Idempotency-Key has the same answer and sends nothing more, also after a lost answer', async () => {
    const mails = [mail(), mail({ html: 'h'.repeat(30_000) }), mail({ cc: [{ email: 'c@in.test' }] })];
    const key = { 'Idempotency-Key': 'batch' };
    const one = await batch(mails, {}, key);
    expect(one.status).to.equal(200);
    const before = await stored();
    expect((await batch(mails, {}, key)).text).to.equal(one.text);
    const { idempotency } = post.environment.deps.db;
    // As after a process that ended before it had stored its answer.
    const lost = { $set: { state: 'running' as const, status: null, body: null, leaseUntil: new Date(0) } };
    const answered = { state: 'done' as const, body: { $regex: one.body.data.batchId } };
    expect((await idempotency.updateOne(answered, lost)).modifiedCount).to.equal(1);
    expect((await batch(mails, {}, key)).body.data).to.deep.equal(one.body.data);
    expect(await stored()).to.equal(before);
    const other = await batch([mail()], {}, key);
    expect([other.status, other.body.error.code]).to.deep.equal([409, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('is written as a whole: a document that cannot be stored leaves none of the mails', async () => {
    const { mongo, config, db } = post.environment.deps;
    const before = await stored();
    const validator = { email: { $ne: 'refused@in.test' } };
    const database = mongo.db(config.mongodbDatabase);
    await database.command({ collMod: 'messages', validator });
    try {
      const { status } = await batch([mail(), mail({ to: { email: 'refused@in.test' } }), mail()]);
      expect(status).to.equal(500);
      expect(await stored()).to.equal(before);
    } finally {
      await database.command({ collMod: 'messages', validator: {} });
    }
    expect((await batch([mail()])).status).to.equal(200);
    expect(await db.messages.findOne({ email: 'refused@in.test' })).to.equal(null);
  });

  it('sends mail of a group as marketing, in its lane, with a copy for each address', async () => {
    const { groupId } = (await post.own.client.post('/suppression-groups', { name: 'News' })).body.data;
    const news = mail({ unsubscribeGroupId: groupId, cc: [{ email: 'copy@in.test' }] });
    const { body } = await batch([news, mail()]);
    const rows = await post.environment.deps.db.messages.find({ batchId: body.data.batchId }).toArray();
    expect(rows.map(({ lane }) => lane).sort()).to.deep.equal(['automation', 'automation', 'transactional']);
    const sent = await until(
      () => emailsOf(body.data.batchId),
      (found) => found.every(({ status }: { status: string }) => status === 'sent'),
    );
    expect(sent).to.have.length(2);
  });
});

/** A template that takes too many steps to render. */
function slow(): object {
  const html = '<p>{{#each a}}{{#each ../a}}{{#each ../../a}}x{{/each}}{{/each}}{{/each}}</p>';
  return { html, dynamicData: { a: Array.from({ length: 300 }, (_, index) => index) } };
}
