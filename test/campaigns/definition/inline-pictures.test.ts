import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import PostalMime from 'postal-mime';
import { compileFrozen } from '../../../core/campaigns/run/compile.ts';
import { png } from '../../providers/images.ts';
import { done, publishFrench, uploadPicture } from '../../support/client.ts';
import { signatureVerdicts } from '../../support/mail/signatures.ts';
import { useHands } from '../support.ts';

const OUT = '<a href="{{unsubscribe}}">Leave</a>';

describe('Pictures inside the mail of a campaign', function () {
  this.timeout(60_000);
  const { stage, hands } = useHands({ env: { COMPOSE_MEMORY_MB: '32' } });
  let readNames: string[] = [];
  before(() => {
    const { media } = stage.deps;
    const read = media.read.bind(media);
    media.read = (name, held) => {
      readNames.push(name);
      return read(name, held);
    };
  });
  beforeEach(() => {
    readNames = [];
  });

  let sides = 10;
  async function upload(bytes = png(++sides, 7)) {
    const { id, url } = await done(uploadPicture(stage.own.client, bytes));
    const name = (url as string).split('/').at(-1) as string;
    return { id, url, name, bytes, cid: `cid:${name.slice(0, 32)}@inline` };
  }
  const people = (count = 3) => {
    const name = new ObjectId().toHexString().slice(-8);
    return stage.list(count, (index) => `${index}-${name}@example.org`);
  };
  const arrived = async (campaignId: string) => {
    const ids = new Set((await stage.messages(campaignId)).map(({ _id }) => `<${_id}@mail.example.com>`));
    const own = stage.sink.ledger.messages.filter(({ messageId }) => ids.has(messageId ?? ''));
    return Promise.all(
      own.map(async (message) => {
        const raw = message.raw ?? '';
        return { raw, mail: await PostalMime.parse(Buffer.from(raw, 'latin1')) };
      }),
    );
  };
  const shown = (url: string) => `<img src="${url}" alt="Logo">`;

  for (const [made, html] of [
    ['once', ''],
    ['for each person', '<a href="https://example.com/{{email}}">Hello</a>'],
  ] as const)
    it(`are read once, and signed, in mail that is made ${made}`, async () => {
      const [logo, gone] = [await upload(), await upload()];
      await done(stage.own.client.delete(`/v1/media/${gone.id}`));
      const htmlTemplate = `${shown(logo.url)}${shown(gone.url)}${html}${OUT}`;
      const id = await stage.launch({ inlinePictures: true, htmlTemplate, toLists: [await people()] });
      expect(await hands.drive(id)).to.include({ status: 'sent' });
      const mails = await arrived(id);
      expect(mails).to.have.length(3);
      const domain = (await stage.own.client.get('/domains')).body.data.domains[0];
      for (const { raw, mail } of mails) {
        expect(mail.html).to.include(shown(logo.cid)).and.include(shown(gone.url));
        expect(mail.attachments.map(({ contentId }) => contentId)).to.deep.equal([`<${logo.cid.slice(4)}>`]);
        expect(Buffer.from(mail.attachments[0]?.content as ArrayBuffer).equals(logo.bytes)).to.equal(true);
        expect(await signatureVerdicts(raw, domain)).to.deep.equal(['pass', 'pass']);
      }
      expect(readNames).to.deep.equal([logo.name]);
    });

  it('are those of each variant', async () => {
    const [first, second] = [await upload(), await upload()];
    const variants = [first, second].map(({ url }) => ({ share: 50, htmlTemplate: `${shown(url)}${OUT}` }));
    const fields = { inlinePictures: true, htmlTemplate: OUT, variants };
    const id = await stage.launch({ ...fields, toLists: [await people()] });
    expect(await hands.drive(id)).to.include({ status: 'sent' });
    const named = (await arrived(id)).map(({ mail: { html = '', attachments } }) => {
      return `${/cid:[^"]+/.exec(html)} ${attachments.map(({ contentId }) => contentId)}`;
    });
    const one = ({ cid }: { cid: string }) => `${cid} <${cid.slice(4)}>`;
    expect([...new Set(named)]).to.have.members([one(first), one(second)]);
  });

  it('are in its tests, answered, copied, and off unless it says so', async () => {
    const logo = await upload();
    const { id, inlinePictures } = await done(stage.create({ inlinePictures: true, htmlTemplate: shown(logo.url) }));
    expect(inlinePictures).to.equal(true);
    const { emailIds } = await done(stage.act(id, 'test', { emails: ['tester@in.test'] }));
    const message = await stage.deps.db.messages.findOne({ _id: new ObjectId(emailIds[0] as string) });
    const stored = await stage.deps.db.contents.findOne({ _id: message?.contentId ?? new ObjectId() });
    const { pictures } = message?.content ?? stored ?? {};
    expect(pictures).to.deep.equal([{ name: logo.name, sizeBytes: logo.bytes.length }]);
    expect((await done(stage.act(id, 'duplicate', {}))).inlinePictures).to.equal(true);
    const off = await done(stage.own.client.patch(`/campaigns/${id}`, { inlinePictures: false }));
    expect(off.inlinePictures).to.equal(false);
    expect((await done(stage.create({ htmlTemplate: OUT }))).inlinePictures).to.equal(false);
  });

  it('are 400 when they are too large, in a draft too, and nothing is written', async () => {
    const large = await upload(Buffer.concat([png(++sides, 7), Buffer.alloc(500_000)]));
    const htmlTemplate = shown(large.url);
    const { id, templateId } = await done(stage.create({ htmlTemplate }));
    const { db } = stage.deps;
    const before = await db.campaigns.countDocuments({});
    const share = 50;
    for (const reply of [
      await stage.create({ inlinePictures: true, htmlTemplate }),
      await stage.create({ inlinePictures: true, variants: [{ share, htmlTemplate }, { share }] }),
      await stage.own.client.patch(`/campaigns/${id}`, { inlinePictures: true }),
    ]) {
      expect([reply.status, reply.body.error?.code], reply.text).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(reply.body.error.details).to.match(
        /^inlinePictures: the pictures have 500\d+ bytes together, and 500000 at most/,
      );
    }
    expect(await db.campaigns.countDocuments({})).to.equal(before);
    expect(await stage.get(id)).to.include({ inlinePictures: false, templateId });
  });

  it('are 400 when those of a translation are too large, and taken once they are small', async () => {
    const large = await upload(Buffer.concat([png(++sides, 7), Buffer.alloc(500_000)]));
    const { client } = stage.own;
    const fields = { templateName: 'Large in French', subject: 'Hello', emailTemplate: OUT };
    const { templateId } = await done(client.post('/templates', fields));
    await publishFrench(client, templateId, { emailTemplate: `${shown(large.url)}${OUT}` });
    const named = { templateId, htmlTemplate: undefined };
    const [alone, withVariants] = [await done(stage.create(named)), await done(stage.create({}))];
    const variants = [{ share: 50, templateId }, { share: 50 }];
    for (const reply of [
      await stage.create({ ...named, inlinePictures: true }),
      await client.patch(`/campaigns/${alone.id}`, { inlinePictures: true }),
      await client.patch(`/campaigns/${withVariants.id}`, { inlinePictures: true, variants }),
    ]) {
      expect(reply.status, reply.text).to.equal(400);
      expect(reply.body.error.message).to.match(/^The pictures of the mail in fr have 500\d+ bytes together/);
      expect(reply.body.error.details).to.match(/^inlinePictures: the pictures in fr have 500\d+ bytes together/);
    }
    expect(await stage.get(alone.id)).to.include({ inlinePictures: false });
    await publishFrench(client, templateId, { emailTemplate: `${shown((await upload()).url)}${OUT}` });
    await done(client.patch(`/campaigns/${alone.id}`, { inlinePictures: true }));
  });

  it('fail a campaign whose template shows larger ones by the time it is sent, with the reason, and no mail leaves', async () => {
    const large = await upload(Buffer.concat([png(++sides, 7), Buffer.alloc(500_000)]));
    const fields = { templateName: 'Grown', subject: 'Hello', templateType: 'marketing', emailTemplate: OUT };
    const { templateId } = await done(stage.own.client.post('/templates', fields));
    const id = await stage.launch({ inlinePictures: true, templateId, toLists: [await people()] });
    await done(stage.own.client.patch(`/templates/${templateId}`, { emailTemplate: `${shown(large.url)}${OUT}` }));
    expect(await hands.drive(id)).to.include({ status: 'failed' });
    expect((await stage.get(id)).failureReason).to.match(
      /500\d+ bytes together.*\(inlinePictures: the pictures have 500/,
    );
    expect(await arrived(id)).to.deep.equal([]);
  });

  it('fail a campaign with the language in the reason when a translation shows larger ones by then', async () => {
    const large = await upload(Buffer.concat([png(++sides, 7), Buffer.alloc(500_000)]));
    const { client } = stage.own;
    const fields = { templateName: 'Grown', subject: 'Hello', templateType: 'marketing', emailTemplate: OUT };
    const { templateId } = await done(client.post('/templates', fields));
    const id = await stage.launch({ inlinePictures: true, templateId, toLists: [await people()] });
    await publishFrench(client, templateId, { emailTemplate: `${shown(large.url)}${OUT}` });
    expect(await hands.drive(id)).to.include({ status: 'failed' });
    expect((await stage.get(id)).failureReason).to.match(/\(inlinePictures: the pictures in fr have 500/);
    expect(await arrived(id)).to.deep.equal([]);
  });

  it('wait for memory, and are with the relay no more at a time than fit into it', async () => {
    const large = await upload(Buffer.concat([png(++sides, 7), Buffer.alloc(490_000)]));
    const { memory } = hands.sending;
    const { waitInCampaign } = memory;
    let highest = 0;
    memory.waitInCampaign = async (bytes) => {
      const reservation = await waitInCampaign(bytes);
      highest = Math.max(highest, memory.heldBytes());
      return reservation;
    };
    stage.sink.modes.ackDelayMs = 500;
    const id = await stage.launch({
      inlinePictures: true,
      htmlTemplate: shown(large.url),
      toLists: [await people(40)],
    });
    expect(await hands.drive(id)).to.include({ status: 'sent' });
    stage.sink.modes.ackDelayMs = 0;
    memory.waitInCampaign = waitInCampaign;
    expect(await arrived(id)).to.have.length(40);
    // Eight of 490 kB, four times over; 16 MB are kept for small mails.
    expect(highest).to.be.within(15_000_000, 16_000_000);
    expect(memory.heldBytes()).to.equal(0);
  });

  it('are kept encoded for a few campaigns only, and encoded again for those before them', async () => {
    const { deps } = stage;
    const content = async (inlinePictures: boolean) => {
      const logo = await upload();
      const htmlTemplate = `${shown(logo.url)}${OUT}`;
      const id = await stage.launch({ inlinePictures, htmlTemplate, toLists: [await people()] });
      expect(await hands.drive(id)).to.include({ status: 'sent' });
      return { whole: (await deps.db.campaignContents.findOne({ _id: new ObjectId(id) }))!, logo };
    };
    const [first, plain] = [await content(true), await content(false)];
    const fillOf = async ({ whole }: typeof first) => (await compileFrozen(deps, whole)).fill;
    const [encoded, light] = [await fillOf(first), await fillOf(plain)];
    expect(await fillOf(first)).to.equal(encoded);
    for (let count = 0; count < 10; count += 1) await compileFrozen(deps, { ...first.whole, _id: new ObjectId() });
    expect(await fillOf(first)).to.not.equal(encoded);
    expect(await fillOf(plain)).to.equal(light);
  });
});
