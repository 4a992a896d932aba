import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { countProject } from '../../core/figures/reports/counting/count.ts';
import { recountProject } from '../../core/figures/reports/counting/recount.ts';
import { readClickToken } from '../../core/mail/compose/tokens.ts';
import { writeSignals } from '../../core/mail/feedback/engagements.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { SENDER, type Stage, startStage } from '../campaigns/support.ts';
import { BROWSER, bareCampaign, sentMessage } from '../feedback/support.ts';
import type { Client } from '../support/client.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

type Row = {
  stepId?: string;
  position: number | null;
  url: string;
  clicks: number;
  people: number;
  humanPeople: number;
};

const CONTENT = `<p>Hello {{firstName}}</p>
<a href="https://shop.example.com/?for={{email}}">yours</a> <a href='https://shop.example.com/sale'>sale</a>
{{#if email}}<a href="https://shop.example.com/sale">sale again</a>{{/if}}
<a href="https://help.example.com/" data-no-track>help</a> <a href="{{unsubscribe}}">leave</a>
<a href="{{~ preferencesUrl ~}}">choose</a> <a href="{{{viewInBrowserUrl}}}">in the browser</a>`;

const SCANNER = { 'User-Agent': 'Barracuda Sentinel (EE)' };

describe('GET /campaigns/{id}/links and those of templates and automations', function () {
  this.timeout(120_000);
  let stage: Stage;
  let visitor: Client;
  before(async () => {
    stage = await startStage({
      env: { PUBLIC_RATE_LIMIT: '100000', AUTOMATED_OPEN_SECONDS: '0' },
      sinkOptions: { keepRaw: 1_000 },
    });
    visitor = stage.environment.client(null, { 'User-Agent': BROWSER });
  });
  after(() => stage.stop());

  /** The tracked links of the mails to this address, as they arrived. */
  const linksTo = (email: string) => {
    const mails = stage.sink.ledger.messages.filter(({ to }) => to.includes(email));
    const html = mails
      .map(({ raw }) => raw ?? '')
      .join('\n')
      .replace(/=\r?\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return [...html.matchAll(/\/t\/c\/([A-Za-z0-9_-]+)/g)].map(([path, token]) => ({
      path,
      ...readClickToken(stage.deps.config, token!)!,
    }));
  };
  const rowsOf = async (path: string, { client } = stage.own): Promise<Row[]> => {
    const { status, body, text } = await client.get(path);
    expect(status, text).to.equal(200);
    return body.data.links;
  };
  const numbers = (rows: Row[]) => rows.map(({ clicks, people, humanPeople }) => [clicks, people, humanPeople]);

  it('counts a personal link as one, with its position, and people apart from machines', async () => {
    const list = await stage.list(3, (index) => `linked${index}@example.org`);
    const id = await stage.launch({ toLists: [list], htmlTemplate: CONTENT });
    await stage.until(id, 'sent');
    const path = `/campaigns/${id}/links`;
    expect((await rowsOf(path)).map(({ position, url, clicks }) => [position, url, clicks])).to.deep.equal([
      [1, 'https://shop.example.com/?for={{email}}', 0],
      [2, 'https://shop.example.com/sale', 0],
      [3, 'https://shop.example.com/sale', 0],
    ]);
    const [first, second, third] = [0, 1, 2].map((index) => linksTo(`linked${index}@example.org`));
    expect(first!.map(({ link, target }) => [link, target])).to.deep.equal([
      [1, 'https://shop.example.com/?for=linked0%40example.org'],
      [2, 'https://shop.example.com/sale'],
      [3, 'https://shop.example.com/sale'],
    ]);
    for (const { path: link } of [first![0]!, first![0]!, second![0]!, second![2]!]) await visitor.get(link);
    await visitor.get(third![0]!.path, SCANNER);
    const rows = await until(
      () => rowsOf(path),
      (some) => some.reduce((sum, { clicks }) => sum + clicks, 0) === 5,
    );
    expect(numbers(rows)).to.deep.equal([
      [4, 3, 2],
      [0, 0, 0],
      [1, 1, 1],
    ]);
    // A person after the machine, on the same link of the same mail.
    await visitor.get(third![0]!.path);
    const later = await until(
      () => rowsOf(path),
      ([row]) => row!.clicks === 5,
    );
    expect(numbers(later)[0]).to.deep.equal([5, 3, 3]);
    await recountProject(stage.deps, stage.own.project);
    expect(numbers(await rowsOf(path))).to.deep.equal(numbers(later));
  });

  it('counts a variant with other links at the places of the campaign, and new links by their URL', async () => {
    const link = (name: string) => `<a href="https://shop.example.com/${name}">${name}</a>`;
    const list = await stage.list(2, (index) => `varied${index}@example.org`);
    const id = await stage.launch({
      toLists: [list],
      htmlTemplate: link('first') + link('second'),
      variants: [{}, { htmlTemplate: link('new') + link('second') + link('first') }],
    });
    await stage.until(id, 'sent');
    const path = `/campaigns/${id}/links`;
    const mails = [0, 1].map((index) => linksTo(`varied${index}@example.org`));
    const variant = mails.find(({ length }) => length === 3)!;
    expect(variant.map(({ link: number }) => number)).to.deep.equal([undefined, 2, 1]);
    for (const { path: click } of variant.slice(0, 2)) await visitor.get(click);
    const rows = await until(
      () => rowsOf(path),
      (some) => some.reduce((sum, { clicks }) => sum + clicks, 0) === 2,
    );
    expect(rows.map(({ position, url, clicks }) => [position, url.split('/').at(-1), clicks])).to.deep.equal([
      [1, 'first', 0],
      [2, 'second', 1],
      [null, 'new', 1],
    ]);
    const preview = { variantId: 'B', clicks: true };
    const { html } = (await stage.own.client.post(`/campaigns/${id}/preview`, preview)).body.data;
    const figures = [...html.matchAll(/link-(\d)"\]::after\{content:"(\d+)"/g)].map(([, place, count]) => [
      place,
      count,
    ]);
    expect(figures).to.deep.equal([
      ['2', '1'],
      ['3', '0'],
    ]);
  });

  describe('takes for a machine', () => {
    // No worker counts here by the settings of another process.
    const environment = useEnvironment({ AUTOMATED_OPEN_SECONDS: '0' });
    const message = async () => {
      const campaign = await bareCampaign(environment, environment.own);
      return sentMessage(environment, environment.own, { campaignId: campaign._id });
    };
    /** Seconds after delivery and URL of each click; the answer is [clicks, people, people apart from machines] by URL. */
    const judged = async (clicks: Array<[number, string]>, deps = environment.deps) => {
      const { _id: messageId, projectId, sentAt, campaignId } = await message();
      for (const [seconds, name] of clicks) {
        const at = new Date(sentAt!.getTime() + seconds * 1_000);
        const url = `https://${name}.example.com/`;
        await writeSignals(deps, [{ kind: 'click', projectId, messageId, at, agent: BROWSER, url }]);
      }
      await countProject(deps, projectId);
      const rows = await rowsOf(`/campaigns/${campaignId}/links`, environment.own);
      return Object.fromEntries(
        rows.map(({ url, clicks: all, people, humanPeople }) => [url.slice(8, 9), [all, people, humanPeople]]),
      );
    };

    it('three links of a mail within two seconds, and a later click for a person', async () => {
      const burst: Array<[number, string]> = [
        [600, 'a'],
        [601, 'b'],
        [602, 'c'],
      ];
      expect(await judged(burst)).to.deep.equal({ a: [1, 1, 0], b: [1, 1, 0], c: [1, 1, 0] });
      expect(await judged([...burst, [660, 'b']])).to.deep.equal({ a: [1, 1, 0], b: [2, 1, 1], c: [1, 1, 0] });
      const slower = burst.map(([at, name], index): [number, string] => [at + index, name]);
      expect(await judged(slower)).to.deep.equal({ a: [1, 1, 1], b: [1, 1, 1], c: [1, 1, 1] });
    });

    it('clicks within AUTOMATED_OPEN_SECONDS of delivery', async () => {
      const deps = { ...environment.deps, config: { ...environment.deps.config, automatedOpenSeconds: 5 } };
      const clicks: Array<[number, string]> = [
        [4, 'a'],
        [5, 'b'],
      ];
      expect(await judged(clicks, deps)).to.deep.equal({ a: [1, 1, 0], b: [1, 1, 1] });
      expect(await judged([...clicks, [6, 'a']], deps)).to.deep.equal({ a: [2, 1, 1], b: [1, 1, 1] });
    });
  });

  it('counts the links of a template in all its mail, each version for itself', async () => {
    const { client } = stage.own;
    const first = '<a href="https://shop.example.com/{{code}}">first</a>';
    const template = (await client.post('/templates', { templateName: 'T', subject: 'Hi', emailTemplate: first })).body
      .data;
    const send = async (email: string) => {
      const mail = { from: { email: SENDER }, to: { email }, templateId: template.templateId };
      const reply = await client.post('/mails/send', { ...mail, dynamicData: { code: email } });
      expect(reply.status, reply.text).to.be.within(200, 202);
      const mailId = { _id: new ObjectId(reply.body.data.emailId), projectId: stage.own.project._id };
      await until(
        () => stage.deps.db.messages.findOne(mailId),
        (message) => message?.state === 'sent',
      );
      await visitor.get(linksTo(email)[0]!.path);
    };
    await send('t1@example.org');
    await send('t2@example.org');
    const second = `<a href="https://new.example.com/">new</a>${first}`;
    await client.patch(`/templates/${template.templateId}`, { emailTemplate: second });
    await send('t3@example.org');
    const found = await until(
      () => rowsOf(`/templates/${template.templateId}/links`),
      (rows) => rows.reduce((sum, { clicks }) => sum + clicks, 0) === 3,
    );
    expect(found).to.deep.equal([
      { position: 1, url: 'https://new.example.com/', clicks: 1, people: 1, humanPeople: 1, isCurrent: true },
      { position: 2, url: 'https://shop.example.com/{{code}}', clicks: 0, people: 0, humanPeople: 0, isCurrent: true },
      { position: 1, url: 'https://shop.example.com/{{code}}', clicks: 2, people: 2, humanPeople: 2, isCurrent: false },
    ]);
  });

  it('counts the links of an automation by step', async () => {
    const { client } = stage.own;
    const mail = (subject: string, html: string) => ({
      type: 'email',
      email: { subject, htmlTemplate: html, senderEmail: SENDER },
    });
    const soon = { type: 'wait', delay: { value: 0, unit: 'minutes' } };
    const made = await client.post('/automations', {
      name: 'Two mails',
      entryCriteria: { type: 'contact_created' },
      steps: [soon, mail('One', '<a href="https://one.example.com/{{email}}">1</a>'), soon, mail('Two', CONTENT)],
      active: true,
    });
    expect(made.status, made.text).to.equal(201);
    const [, one, , two] = made.body.data.steps.map(({ stepId }: { stepId: string }) => stepId);
    expect((await client.post('/contacts', { email: 'auto@example.org' })).status).to.be.within(200, 201);
    await until(
      async () => stage.sink.ledger.messages.filter(({ to }) => to.includes('auto@example.org')).length,
      (count) => count === 2,
    );
    // Either mail may arrive first; the first one has one link.
    await visitor.get(linksTo('auto@example.org').find(({ link }) => link === 3)!.path);
    const found = await until(
      () => rowsOf(`/automations/${made.body.data.id}/links`),
      (rows) => rows.some(({ clicks }) => clicks > 0),
    );
    expect(found.map(({ stepId, position, clicks }) => [stepId, position, clicks])).to.deep.equal([
      [one, 1, 0],
      [two, 1, 0],
      [two, 2, 0],
      [two, 3, 1],
    ]);
  });

  describe('of mail that was sent before links had numbers', () => {
    const at = new Date();
    const clicked = (message: Message, ...urls: string[]) =>
      writeSignals(
        stage.deps,
        urls.map((url) => ({
          kind: 'click',
          projectId: message.projectId,
          messageId: message._id,
          at,
          agent: BROWSER,
          url,
        })),
      );

    it('has rows by URL, 500 and one for all others', async () => {
      const campaign = await bareCampaign(stage.environment, stage.own);
      const of = { campaignId: campaign._id };
      for (let mail = 0; mail < 6; mail += 1) {
        const message = await sentMessage(stage.environment, stage.own, of);
        const own = Array.from({ length: 100 }, (_, index) => `https://x.example.com/${mail * 99 + index}`);
        await clicked(message, ...own, ...own.slice(0, 2));
        await countProject(stage.deps, stage.own.project._id);
      }
      const { body } = await stage.own.client.get(`/campaigns/${campaign._id}/links`);
      const { links, other } = body.data;
      expect(links).to.have.length(500);
      expect(links.every(({ position }: Row) => position === null)).to.equal(true);
      // The last mail has 5 links of known URLs, and 95 of others, all in one row.
      expect(other).to.deep.equal({ clicks: 95, people: 1, humanPeople: 0 });
      const sum = links.reduce((all: number, { clicks }: Row) => all + clicks, 0);
      expect(sum + other.clicks).to.equal(6 * 102);
      const shared = links.find(({ url }: Row) => url.endsWith('/99'));
      expect([shared.clicks, shared.people]).to.deep.equal([3, 2]);
    });

    it('keeps 100 links of a mail, and only counts clicks on more', async () => {
      const campaign = await bareCampaign(stage.environment, stage.own);
      const message = await sentMessage(stage.environment, stage.own, { campaignId: campaign._id });
      await clicked(message, ...Array.from({ length: 103 }, (_, index) => `https://y.example.com/${index}`));
      await countProject(stage.deps, stage.own.project._id);
      const { body } = await stage.own.client.get(`/campaigns/${campaign._id}/links`);
      expect(body.data.links).to.have.length(100);
      expect(body.data.other).to.deep.equal({ clicks: 3, people: 0, humanPeople: 0 });
    });
  });

  it('says 404 for what another project has', async () => {
    const { client } = stage.environment.other;
    const campaign = await bareCampaign(stage.environment, stage.own);
    expect((await client.get(`/campaigns/${campaign._id}/links`)).status).to.equal(404);
    expect((await client.get(`/automations/${new ObjectId()}/links`)).status).to.equal(404);
    expect((await client.get('/templates/A-00000000000000000000/links')).status).to.equal(404);
  });

  it('reads the rows of one source by an index, and no more of the project', async () => {
    const { db } = stage.deps;
    const projectId = stage.own.project._id;
    const state = await db.reportStates.findOne({ _id: projectId, projectId });
    const count = state?.count ?? 0;
    const source = (await db.linkCounts.findOne({ projectId, count }))?.source ?? '';
    const rows = await db.linkCounts.countDocuments({ projectId, count, source });
    expect(await db.linkCounts.countDocuments({ projectId, count })).to.be.greaterThan(rows);
    const filter = { projectId, count, source };
    const { executionStats } = await db.linkCounts.find(filter, { hint: 'source' }).explain('executionStats');
    expect([executionStats.totalKeysExamined, executionStats.totalDocsExamined]).to.deep.equal([rows, rows]);
  });
});
