import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { png } from '../providers/images.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { emailIdOf, openSubmission, type SubmissionDoor } from '../support/mail/submission.ts';

const SENDER = 'shop@mail.example.com';

describe('The content of a mail that came by SMTP', () => {
  let environment: Environment;
  let door: SubmissionDoor;
  before(async () => {
    environment = await startEnvironment();
    await seedVerifiedDomain(environment.deps, environment.own.project, 'mail.example.com', new ObjectId());
    door = await openSubmission({ deps: environment.deps, key: environment.own.projectKey });
  });
  after(async () => {
    await door?.close();
    await environment?.stop();
  });

  const contentOf = async (emailId: string) => (await environment.own.client.get(`/emails/${emailId}/content`)).body;
  const raw = (more: string) => `From: Shop <${SENDER}>\nTo: ada@in.test\nSubject: Your order\n${more}`;
  const hand = async (more: string) => emailIdOf({ response: await door.hand({ raw: raw(more) }) });

  it('takes its memory from the budget of answers: more is 503 with Retry-After before it is read, and works later', async () => {
    const emailId = await hand(`\n${`${'x'.repeat(76)}\n`.repeat(250_000)}`);
    const { client } = environment.own;
    const { rawMails } = environment.deps;
    const { read } = rawMails;
    const mayRead = Promise.withResolvers<void>();
    const isReading = Promise.withResolvers<void>();
    let readings = 0;
    rawMails.read = async (bytes, who) => {
      readings += 1;
      isReading.resolve();
      await mayRead.promise;
      return read(bytes, who);
    };
    try {
      const first = client.get(`/emails/${emailId}/content`);
      await isReading.promise;
      const { status, headers, body } = await client.get(`/emails/${emailId}/content`);
      expect([status, headers.get('retry-after'), body.error.code]).to.deep.equal([503, '5', 'UNAVAILABLE']);
      expect(readings).to.equal(1);
      mayRead.resolve();
      expect((await first).status).to.equal(200);
    } finally {
      mayRead.resolve();
      rawMails.read = read;
    }
    expect((await client.get(`/emails/${emailId}/content`)).status).to.equal(200);
  }).timeout(60_000);

  it('is read from the mail as it came, and its page has the pictures that it brought', async () => {
    const emailId = await door.send({
      from: SENDER,
      to: 'ada@in.test',
      subject: 'Grüße',
      text: 'Hallo Ada, schöne Grüße.',
      html: '<p>Hallo <b>Ada</b></p><img src="cid:logo">',
      attachments: [{ filename: 'logo.png', content: Buffer.from(png(2, 2)), cid: 'logo' }],
    });
    const { data } = await contentOf(emailId);
    expect(data).to.include({ subject: 'Grüße', previewText: '' });
    expect(data.text.trim()).to.equal('Hallo Ada, schöne Grüße.');
    expect(data.html).to.include('<p>Hallo <b>Ada</b></p><img src="cid:logo">');
    const page = await fetch(data.previewUrl);
    expect(page.headers.get('content-security-policy')).to.match(/^sandbox;/);
    expect(await page.text()).to.include('<img src="data:image/png;base64,');
  });

  it('is text alone where the mail has no HTML, and its page shows tags as they are written', async () => {
    const emailId = await hand('\nFirst <b>line</b>\nsecond line\n');
    const { data } = await contentOf(emailId);
    expect(data.html).to.equal(null);
    expect(data.text).to.match(/^First <b>line<\/b>\r?\nsecond line/);
    expect(await (await fetch(data.previewUrl)).text()).to.include('First &lt;b&gt;line&lt;/b&gt;');
  });

  it('is nothing when the mail cannot be read within limits, when its file is gone, and after an erasure', async () => {
    const deep = Array.from({ length: 300 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`);
    const { client, project } = environment.own;
    const { contents, messages } = environment.deps.db;
    const emailIds = [await hand(deep.join(''))];
    for (const field of ['email', 'file']) {
      const emailId = await hand(`X-Of: ${field}\n\nWords of ${field}\n`);
      expect((await contentOf(emailId)).data.text).to.include(`Words of ${field}`);
      const own = { _id: new ObjectId(emailId), projectId: project._id };
      const message = await messages.findOne(own);
      const gone = { bytes: null, fileId: new ObjectId() };
      if (field === 'email') await messages.updateOne(own, { $set: { email: '' } });
      else if (message?.content)
        await messages.updateOne(own, {
          $set: { 'content.attachments': [{ ...message.content.attachments[0]!, ...gone }] },
        });
      else {
        const content = { _id: message!.contentId!, projectId: project._id };
        const { attachments } = (await contents.findOne(content))!;
        await contents.updateOne(content, { $set: { attachments: [{ ...attachments[0]!, ...gone }] } });
      }
      emailIds.push(emailId);
    }
    for (const emailId of emailIds) {
      const { status, body } = await client.get(`/emails/${emailId}/content`);
      expect({ status, html: body.data.html, previewUrl: body.data.previewUrl }).to.deep.equal({
        ...{ status: 200, html: null, previewUrl: null },
      });
    }
    expect((await client.get('/emails')).status).to.equal(200);
  });
});
