import { expect } from 'chai';
import PostalMime from 'postal-mime';
import { SENDER, type Stage, startStage } from '../../campaigns/support.ts';
import { png } from '../../providers/images.ts';
import { done, publishFrench, uploadPicture } from '../../support/client.ts';
import { until } from '../../support/wait.ts';
import { activeAutomation, email, wait } from '../support.ts';

describe('Pictures inside the mail of an automation', function () {
  this.timeout(120_000);
  let stage: Stage;
  before(async () => {
    stage = await startStage();
    await stage.own.client.post('/events', { eventName: 'joined' });
  });
  after(() => stage.stop());

  let sides = 10;
  async function upload(more = 0) {
    const bytes = Buffer.concat([png(++sides, 7), Buffer.alloc(more)]);
    const { url } = (await uploadPicture(stage.own.client, bytes)).body.data;
    return { url: url as string, bytes };
  }
  const shown = (url: string) => `<img src="${url}" alt="Logo">`;
  const mail = (fields: object) => ({ email: { subject: 'Hello', senderEmail: SENDER, ...fields } });
  const stepsOf = (...mails: object[]) =>
    mails.flatMap((fields, index) => [wait(0, 'minutes'), email(`mail${index}`, mail(fields))]);
  const entryCriteria = { type: 'event_trigger', eventName: 'joined' };
  async function enter(id: string, address: string) {
    await stage.list(1, () => address);
    await done(stage.own.client.post(`/automations/${id}/enrollments`, { emails: [address] }));
  }
  const sentTo = async (address: string) =>
    stage.sink.ledger.messages.filter(({ to }) => to[0] === address).map(({ raw }) => raw ?? '');

  it('are parts of the mail of a step that asks for them, and links in that of one that does not', async () => {
    const { url, bytes } = await upload();
    const htmlTemplate = shown(url);
    const steps = stepsOf({ htmlTemplate, inlinePictures: true }, { htmlTemplate, inlinePictures: false });
    const { id, steps: answered } = await activeAutomation(stage.own.client, { name: 'Inside', entryCriteria, steps });
    expect(answered[1].email.inlinePictures).to.equal(true);
    await enter(id, 'inside@example.org');
    const raws = await until(
      () => sentTo('inside@example.org'),
      ({ length }) => length === 2,
    );
    const mails = await Promise.all(raws.map((raw) => PostalMime.parse(Buffer.from(raw, 'latin1'))));
    // They are queued together, and leave in any order.
    const [inside, linked] = mails.toSorted((one, other) => other.attachments.length - one.attachments.length);
    const [part] = inside!.attachments;
    expect(Buffer.from(part?.content as ArrayBuffer).equals(bytes)).to.equal(true);
    expect(inside!.html).to.include(shown(`cid:${part?.contentId?.slice(1, -1)}`));
    expect([linked!.attachments, linked!.html?.includes(shown(url))]).to.deep.equal([[], true]);
  });

  it('are 400 at the step when they are too large, of its own mail and of a template, and nothing is stored', async () => {
    const { url } = await upload(500_000);
    const emailTemplate = shown(url);
    const { templateId } = await stage.own.client
      .post('/templates', { templateName: 'Large', subject: 'Hello', emailTemplate })
      .then(({ body }) => body.data);
    const count = () => stage.deps.db.automations.countDocuments({ projectId: stage.own.project._id });
    const before = await count();
    for (const fields of [{ htmlTemplate: emailTemplate }, { templateId }])
      for (const active of [true, false]) {
        const steps = stepsOf({ ...fields, inlinePictures: true });
        const reply = await stage.own.client.post('/automations', { name: 'Large', entryCriteria, steps, active });
        expect(reply.status, reply.text).to.equal(400);
        expect(reply.body.error.details).to.match(/steps\/1\/email\/inlinePictures: the pictures have 500\d+ bytes/);
      }
    expect(await count()).to.equal(before);
  });

  it('are 400 at the step when those of a translation are too large, of a change too, and taken once they are small', async () => {
    const { url } = await upload(500_000);
    const fields = { templateName: 'Large in French', subject: 'Hello', emailTemplate: '<p>Small</p>' };
    const { templateId } = (await stage.own.client.post('/templates', fields)).body.data;
    await publishFrench(stage.own.client, templateId, { emailTemplate: shown(url) });
    const plain = stepsOf({ templateId });
    const { id, steps } = (await stage.own.client.post('/automations', { name: 'Small', entryCriteria, steps: plain }))
      .body.data;
    const inside = stepsOf({ templateId, inlinePictures: true });
    for (const reply of [
      await stage.own.client.post('/automations', { name: 'Large', entryCriteria, steps: inside }),
      await stage.own.client.patch(`/automations/${id}`, { steps: inside }),
    ]) {
      expect(reply.status, reply.text).to.equal(400);
      expect(reply.body.error.details).to.match(
        /^steps\/1\/email\/inlinePictures: the pictures in fr have 500\d+ bytes/,
      );
    }
    expect((await stage.own.client.get(`/automations/${id}`)).body.data.steps).to.deep.equal(steps);
    await publishFrench(stage.own.client, templateId, { emailTemplate: shown((await upload()).url) });
    await done(stage.own.client.patch(`/automations/${id}`, { steps: inside }));
  });

  it('stay links in a mail whose template shows larger ones by then', async () => {
    const given = { templateName: 'Grows', subject: 'Hello', emailTemplate: '<p>Small</p>' };
    const { templateId } = (await stage.own.client.post('/templates', given)).body.data;
    const steps = stepsOf({ templateId, inlinePictures: true });
    const { id } = await activeAutomation(stage.own.client, { name: 'Grows', entryCriteria, steps });
    const { url } = await upload(500_000);
    await done(stage.own.client.patch(`/templates/${templateId}`, { emailTemplate: shown(url) }));
    await enter(id, 'grown@example.org');
    const [raw] = await until(
      () => sentTo('grown@example.org'),
      ({ length }) => length === 1,
    );
    const { html, attachments } = await PostalMime.parse(Buffer.from(raw!, 'latin1'));
    expect([attachments, html?.includes(shown(url))]).to.deep.equal([[], true]);
  });
});
