// Promise: nothing is sent twice.
import { expect } from 'chai';
import { type Post, startPost } from '../delivery/support.ts';
import { until } from '../support/wait.ts';

describe('POST /mails/bulk', () => {
  let post: Post;
  before(async () => {
    post = await startPost();
  });
  after(() => post.stop());

  const emailsOf = async (batchId: string) =>
    (await post.own.client.get(`/emails?batchId=${batchId}&limit=100`)).body.data.emails;

  it('sends one message to each of 100, with its own data, and answers the four fields', async () => {
    const recipients = Array.from({ length: 100 }, (_, index) => ({
      email: `P${index}@In.Test`,
      name: `Person ${index}`,
      dynamicData: { n: index },
    }));
    const answer = await post.bulk({
      recipients,
      html: '<p>{{greeting}} {{n}}</p>',
      dynamicData: { greeting: 'Hi', n: 'nobody' },
    });
    expect(answer.status).to.equal(200);
    const { batchId, ...counts } = answer.body.data;
    expect(batchId).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(counts).to.deep.equal({ totalRecipients: 100, successCount: 100, failedCount: 0, failures: [] });
    await post.sink.ledger.wait(100, 20_000);
    expect(post.sink.ledger.messages.every(({ to }) => to.length === 1)).to.equal(true);
    for (const index of [0, 50, 99]) {
      const { raw } = post.sink.ledger.messages.find(({ to }) => to[0] === `p${index}@in.test`)!;
      expect(raw).to.include(`Hi ${index}<`).and.include(`To: Person ${index} <p${index}@in.test>`);
    }
    expect(post.sink.ledger.duplicates).to.equal(0);
  });

  it('an unusable address, a render failure and a suppression fail their recipient alone', async () => {
    await post.own.client.post('/suppression-groups/emails/suppress', {
      emails: ['no@in.test'],
      isGlobal: true,
      reason: 'COMPLAINT',
    });
    const many = Array.from({ length: 300 }, (_, index) => index);
    const html = '<p>{{#each a}}{{#each ../a}}{{#each ../../a}}x{{/each}}{{/each}}{{/each}}</p>';
    const { body, status } = await post.bulk({
      html,
      recipients: [
        { email: 'good@in.test' },
        { email: 'not an address' },
        { email: 'no@in.test' },
        { email: 'slow@in.test', dynamicData: { a: many } },
      ],
    });
    expect(status).to.equal(200);
    const { batchId, failures, ...counts } = body.data;
    expect(counts).to.deep.equal({ totalRecipients: 4, successCount: 1, failedCount: 3 });
    expect(failures.map(({ email, code }: Record<string, string>) => [email, code])).to.deep.equal([
      ['not an address', 'INVALID_EMAIL'],
      ['no@in.test', 'SUPPRESSED'],
      ['slow@in.test', 'RENDER_FAILED'],
    ]);
    expect(failures.every(({ message }: { message: string }) => message.length > 10)).to.equal(true);
    const records = await until(
      () => emailsOf(batchId),
      (found) => found.some(({ status: own }: { status: string }) => own === 'sent'),
    );
    const statuses = records.map(({ email, status: own }: Record<string, string>) => `${email} ${own}`);
    expect(statuses.sort()).to.deep.equal(['good@in.test sent', 'no@in.test suppressed', 'slow@in.test failed']);
  });

  it('is 200 even when all fail', async () => {
    const { status, body } = await post.bulk({ recipients: [{ email: 'x' }, { email: 'y' }] });
    expect(status).to.equal(200);
    expect(body.data).to.include({ totalRecipients: 2, successCount: 0, failedCount: 2 });
  });

  it('cc and bcc: of the recipient, else those of the call', async () => {
    const { body } = await post.bulk({
      cc: [{ email: 'all@in.test' }],
      recipients: [
        { email: 'r1@in.test' },
        { email: 'r2@in.test', cc: [{ email: 'own@in.test' }], bcc: [{ email: 'b@in.test' }] },
      ],
    });
    expect(body.data.totalRecipients).to.equal(2);
    const sentTo = () =>
      Promise.resolve(post.sink.ledger.messages.filter(({ to }) => /^r\d@/.test(to[0]!)).map(({ to }) => to.join()));
    const found = await until(sentTo, ({ length }) => length === 2);
    expect(found.sort()).to.deep.equal(['r1@in.test,all@in.test', 'r2@in.test,own@in.test,b@in.test']);
  });

  it('a wrong type anywhere is 400, and so are none, 101 and 51 addresses for one mail', async () => {
    const cases: Array<[object, RegExp]> = [
      [{ recipients: [] }, /recipients: must hold at least one entry/],
      [{ recipients: Array.from({ length: 101 }, () => ({ email: 'a@in.test' })) }, /recipients: must hold 100/],
      [{ recipients: [{ email: 1 }] }, /recipients\/0\/email: must be a string/],
      [{ recipients: [{ email: 'a@in.test', name: 5 }] }, /recipients\/0\/name/],
      [{ recipients: [{ email: 'a@in.test', dynamicData: [] }] }, /recipients\/0\/dynamicData: must be an object/],
      [
        { recipients: [{ email: 'a@in.test', dynamicData: { x: 'x'.repeat(300_000) } }] },
        /recipients\/0\/dynamicData: must be/,
      ],
      [{ recipients: 'a@in.test' }, /recipients: must be an array/],
      [{ to: { email: 'a@in.test' } }, /recipients: is required/],
      [
        {
          recipients: [
            { email: 'a@in.test', cc: Array.from({ length: 50 }, (_, index) => ({ email: `c${index}@in.test` })) },
          ],
        },
        /recipients\/0: must have 50/,
      ],
    ];
    const before = await post.environment.deps.db.messages.countDocuments({});
    for (const [fields, details] of cases) {
      const { status, body } = await post.bulk(fields);
      expect([status, body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(body.error.details).to.match(details);
    }
    expect(await post.environment.deps.db.messages.countDocuments({})).to.equal(before);
  });

  it('a repeat with the same Idempotency-Key has the same batchId and sends nothing more', async () => {
    const body = {
      from: { email: 'post@mail.example.com' },
      subject: 's',
      html: 'x',
      recipients: [{ email: 'i@in.test' }],
    };
    const [one, two] = [
      await post.own.client.post('/mails/bulk', body, { 'Idempotency-Key': 'bulk' }),
      await post.own.client.post('/mails/bulk', body, { 'Idempotency-Key': 'bulk' }),
    ];
    expect(two.text).to.equal(one.text);
    expect(await emailsOf(one.body.data.batchId)).to.have.length(1);
  });

  it('data of one recipient never reach another', async () => {
    const recipients = Array.from({ length: 60 }, (_, index) =>
      index % 2
        ? { email: `bleed${index}@in.test`, dynamicData: { secret: `s${index}`, list: [index] } }
        : { email: `bleed${index}@in.test` },
    );
    await post.bulk({ recipients, text: '[{{secret}}{{#each list}}{{this}}{{/each}}]', html: undefined });
    const mine = () => Promise.resolve(post.sink.ledger.messages.filter(({ to }) => to[0]!.startsWith('bleed')));
    for (const { to, raw } of await until(mine, ({ length }) => length === 60)) {
      const index = Number(/\d+/.exec(to[0]!)![0]);
      expect(/\[(.*)\]/.exec(raw!)![1]).to.equal(index % 2 ? `s${index}${index}` : '');
    }
  });
});
