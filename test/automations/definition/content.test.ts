import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { advanceEnrollment } from '../../../core/automations/enrollments/advance.ts';
import type { Reply } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';
import { peopleInside } from '../people.ts';
import { activeAutomation, created, email, makeSending, refusal, wait } from '../support.ts';

const DAY_MS = 86_400_000;
const contentOf = (text: string) => ({
  v: 1,
  blocks: [
    { id: 'title', type: 'heading', level: 1, spans: [{ text }, { variable: 'firstName', fallback: 'you' }] },
    { id: 'end', type: 'footer', unsubscribe: 'Leave' },
  ],
  look: { accent: '#7A1FA2' },
});
const written = (text: string, more: object = {}) =>
  email('mail', { email: { content: contentOf(text), subject: 'News', ...more } });
const CODE = { htmlTemplate: '<p>Mine</p>', subject: 'News' };

describe('A mail of an automation written as content blocks', () => {
  const environment = useEnvironment();
  before(() => makeSending(environment.deps, environment.own));

  const make = (text: string) =>
    created(environment.own.client, '/automations', { name: 'Welcome', steps: [wait(1), written(text)] });
  const patch = (id: string, body: object) => environment.own.client.patch(`/automations/${id}`, body);
  const shown = async (id: string, query = '') =>
    (await environment.own.client.get(`/automations/${id}${query}`)).body.data;
  const mailOf = (automation: Reply['body']) => automation.steps[1].email;
  const blocksOf = (automation: Reply['body']) => JSON.stringify(mailOf(automation).editorJson);
  const expected = (text: string) => JSON.stringify(contentOf(text));

  async function changed(id: string, body: object): Promise<Reply['body']> {
    const reply = await patch(id, body);
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.data;
  }

  it('answers the content and the HTML made of it, and nothing else', async () => {
    const automation = await make('One');
    const { html } = (await environment.own.client.post('/templates/render', { content: contentOf('One') })).body.data;
    expect(mailOf(automation)).to.deep.equal({ subject: 'News', htmlTemplate: html, editorJson: contentOf('One') });
    expect(blocksOf(await shown(automation.id))).to.equal(expected('One'));
  });

  it('keeps its blocks when what GET shows is given back, and other HTML makes it code', async () => {
    const { id } = await make('One');
    const again = await changed(id, { steps: (await shown(id)).steps });
    expect(blocksOf(again)).to.equal(expected('One'));
    const [first, { email: mail, ...step }] = (await shown(id)).steps;
    const { editorJson: _, ...html } = mail;
    expect(blocksOf(await changed(id, { steps: [first, { ...step, email: html }] }))).to.equal(expected('One'));
    const code = await changed(id, { steps: [first, { ...step, email: { ...mail, ...CODE } }] });
    expect(mailOf(code)).to.deep.equal(CODE);
  });

  it('is copied to another automation with its blocks', async () => {
    const { steps } = await make('One');
    const copy = await created(environment.own.client, '/automations', { name: 'Copy', steps });
    expect(blocksOf(copy)).to.equal(expected('One'));
    const [first, step] = steps;
    const foreign = { ...step, email: { ...step.email, editorJson: { v: 1, blocks: [{ id: 'x' }] } } };
    const other = await created(environment.own.client, '/automations', { name: 'Copy', steps: [first, foreign] });
    expect(mailOf(other)).to.not.have.property('editorJson');
  });

  it('keeps them through a draft and its publication, byte for byte', async () => {
    const { id } = await activeAutomation(environment.own.client, { steps: [wait(1), written('One')] });
    await changed(id, { draft: true, steps: [wait(1), written('Two')] });
    expect(blocksOf(await shown(id))).to.equal(expected('One'));
    expect(blocksOf(await shown(id, '?version=draft'))).to.equal(expected('Two'));
    const draft = await shown(id, '?version=draft');
    await changed(id, { draft: true, steps: draft.steps });
    const reply = await environment.own.client.post(`/automations/${id}/publish`, {});
    expect(reply.status, reply.text).to.equal(200);
    expect(blocksOf(await shown(id))).to.equal(expected('Two'));
    const past = await environment.deps.db.automationDefinitions.findOne({ automationId: new ObjectId(id) });
    expect(blocksOf(past)).to.equal(expected('One'));
  });

  it('refuses content at fault with its step and its block, and HTML or a template with it', async () => {
    const { id } = await make('One');
    const before = await shown(id);
    const button = { id: 'go', type: 'button', spans: [{ text: 'Go' }], href: 'javascript:alert(1)' };
    const refused: [object, string][] = [
      [
        { content: { v: 1, blocks: [button] } },
        'steps/1/email/content/blocks/0/href (block "go"): must be an address of http, https, mailto, tel or sms',
      ],
      [
        { htmlTemplate: '<p>x</p>' },
        'steps/1/email/htmlTemplate: must be left out beside content, of which it is made',
      ],
      [{ templateId: 'A-00000000000000000000' }, 'steps/1/email/templateId: must be left out beside content'],
    ];
    for (const [more, details] of refused)
      for (const reply of [
        await patch(id, { steps: [wait(1), written('Two', more)] }),
        await patch(id, { draft: true, steps: [wait(1), written('Two', more)] }),
        await environment.own.client.post('/automations', { name: 'x', steps: [wait(1), written('Two', more)] }),
      ])
        expect(refusal(reply)).to.deep.equal({ status: 400, code: 'VALIDATION_ERROR', details });
    for (const wrong of [null, 5, [], 'x', {}, { v: 1, blocks: [null] }])
      expect((await patch(id, { steps: [wait(1), written('Two', { content: wrong })] })).status).to.equal(400);
    expect(await shown(id)).to.deep.equal(before);
  });

  it('refuses mails that make more than a document holds', async () => {
    const go = { type: 'button', spans: [{ text: 'Go' }], href: 'https://example.com' };
    const blocks = Array.from({ length: 400 }, (_, index) => ({ id: `b${index}`, ...go }));
    const large = { content: { v: 1, blocks }, subject: 'Large' };
    const steps = Array.from({ length: 10 }, (_, index) => [wait(1), email(`m${index}`, { email: large })]).flat();
    const reply = await environment.own.client.post('/automations', { name: 'x', steps });
    expect(refusal(reply).details).to.match(/^steps\/\d+\/email\/content: makes more than 2 MiB with the others$/);
  });

  it('is sent with the HTML and the text of its blocks', async () => {
    const { id } = await activeAutomation(environment.own.client, {
      steps: [wait(1, 'days', { stepId: 'first' }), written('News, '), wait(1), email('code')],
    });
    const [person] = await peopleInside(environment, id, 1);
    const projectId = environment.own.project._id;
    let nowMs = environment.clock.now().getTime();
    for (let round = 0; round < 4; round += 1) {
      nowMs += 2 * DAY_MS;
      environment.clock.set(new Date(nowMs));
      await advanceEnrollment(environment.deps, { projectId, enrollmentId: person!._id }, nowMs);
    }
    const { emails } = (await environment.own.client.get(`/emails?automationId=${id}`)).body.data;
    const texts: Record<string, string> = {};
    for (const { id: emailId, subject } of emails) {
      const { html, text } = (await environment.own.client.get(`/emails/${emailId}/content`)).body.data;
      texts[subject] = text;
      if (subject === 'News') expect(html).to.contain('News, you</h1>');
    }
    expect(texts.News).to.match(/^News, you\n\n--\nLeave \(http/);
    expect(texts.code).to.equal('code');
  });
});
