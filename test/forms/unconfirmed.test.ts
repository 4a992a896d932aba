import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { triggerQueue } from '../../core/automations/enrollments/enroll.ts';
import { formSubmissions } from '../../core/forms/handle-submissions.ts';
import { type RunningQueues, startQueues } from '../../core/jobs/queue.ts';
import { MailQueue } from '../../core/mail/deliver/mail-queue.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import { SHOWN_INPUT, STAMP_INPUT } from '../../schemas/forms.ts';
import { activeAutomation, created, filter, wait } from '../automations/support.ts';
import { useHands } from '../campaigns/support.ts';
import { until } from '../support/wait.ts';
import { hiddenIn } from './support.ts';

const PENDING = 'pending@in.test';
const CONFIRMED = 'confirmed@in.test';

/** Every way by which contacts get mail, without the workflow engine: its steps are taken here. */
describe('A person who has not confirmed', function () {
  this.timeout(180_000);
  const { stage, hands } = useHands();
  let queues: RunningQueues;
  let listId: string;
  let segmentId: string;
  let formPath: string;
  let automationIds: string[];

  before(async () => {
    const { deps } = stage;
    const mails = new MailQueue(hands.sending, 'transactional');
    queues = startQueues(deps, [formSubmissions(deps), triggerQueue(deps), mails]);
    const { client } = stage.own;
    listId = (await created(client, '/contact-lists', { name: 'News' })).id;
    segmentId = (await created(client, '/contact-lists', { name: 'All', ...segment() })).id;
    formPath = `/f/${(await created(client, '/forms', { name: 'Form', listIds: [listId], fields })).id}`;
    automationIds = [];
    for (const entryCriteria of [
      { type: 'contact_created' },
      { type: 'contact_added_to_list', listId },
      { type: 'contact_added_to_list', listId: segmentId },
    ])
      automationIds.push((await activeAutomation(client, { entryCriteria, steps: [wait(0), mail()] })).id);
  });
  after(() => queues?.stop());

  const fields = [{ name: 'firstName', label: 'Name', type: 'text' }];
  const segment = () => ({ type: 'segment', filterCriteria: filter('email', 'contains', '@in.test') });
  const content = { htmlTemplate: '<p>Welcome</p>', subject: 'Welcome' };
  const sender = { senderEmail: 'news@mail.example.com', senderName: 'News' };
  const mail = () => ({ type: 'email', email: { ...content, ...sender } });
  const messagesTo = (email: string) => stage.deps.db.messages.find({ email }).toArray();

  it('gets the confirmation mail, and no campaign or automation, while others who confirmed get them', async () => {
    await send(PENDING);
    await send(CONFIRMED);
    const link = await linkFor(CONFIRMED);
    await linkFor(PENDING);
    expect((await press(link)).status).to.equal(200);
    await importSomebody();
    const sent = await campaignTo();
    expect(sent).to.include(CONFIRMED).and.not.include(PENDING);
    expect((await messagesTo(CONFIRMED)).length).to.be.at.least(4);
    await enrolledEverywhere(CONFIRMED);
    await expectUntouched();
  });

  it('gets them all once the button is pressed', async () => {
    const link = await linkFor(PENDING);
    await press(link);
    expect(await campaignTo()).to.include(PENDING);
    await enrolledEverywhere(PENDING);
  });

  async function enrolledEverywhere(email: string): Promise<void> {
    const contact = await stage.deps.db.contacts.findOne({ email });
    const mine = { contactId: contact!._id, automationId: { $in: automationIds.map((id) => new ObjectId(id)) } };
    const count = () => stage.deps.db.enrollments.countDocuments(mine);
    await until(count, (enrollments) => enrollments === automationIds.length);
  }

  async function send(email: string): Promise<void> {
    const { clock } = stage.environment;
    clock.set(new Date(Date.now() - 5_000));
    const browser = stage.environment.client(null, { Origin: 'null' });
    const page = await browser.get(formPath);
    clock.set(new Date());
    const values = { [STAMP_INPUT]: hiddenIn(page.text, STAMP_INPUT), email, firstName: 'Ada' };
    const { status, text } = await browser.send('POST', formPath, {
      body: new URLSearchParams(values).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect(status, text).to.equal(200);
  }

  async function linkFor(email: string): Promise<string> {
    const arrived = () => stage.sink.ledger.messages.find(({ to, raw }) => to.includes(email) && raw);
    await until(
      async () => arrived() !== undefined,
      (isThere) => isThere,
    );
    const plain = (arrived()?.raw ?? '').replaceAll(/=\r\n/g, '');
    const path = /\/f\/confirm\/[\w-]+/.exec(plain)?.[0];
    expect(path).to.be.a('string');
    return path as string;
  }

  const press = async (path: string) => {
    const visitor = stage.environment.client(null);
    const shown = hiddenIn((await visitor.get(path)).text, SHOWN_INPUT);
    return visitor.send('POST', path, {
      body: `${SHOWN_INPUT}=${shown}`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
  };

  /** The addresses that got a campaign to the list, the segment, or everybody. */
  async function campaignTo(): Promise<string[]> {
    const reached: string[] = [];
    for (const audience of [{ toLists: [listId] }, { toLists: [segmentId] }, { sendToGlobalList: true }]) {
      const id = await stage.launch(audience);
      expect((await hands.drive(id)).kind).to.equal('end');
      reached.push(...(await stage.audience(id)).map(({ email }) => email));
    }
    return reached;
  }

  async function importSomebody(): Promise<void> {
    const init = { body: 'email\nimported@in.test\n', headers: { 'Content-Type': 'text/csv' } };
    const { body, text } = await stage.own.client.send('POST', `/contacts/import?listIds=${listId}`, init);
    expect(body.success, text).to.equal(true);
    const ids = { projectId: stage.own.project._id, importId: new ObjectId(body.data.importId as string) };
    const limits = { timeMs: 60_000, signal: new AbortController().signal };
    expect((await importSlice(stage.deps, ids, limits)).status).to.equal('completed');
  }

  async function expectUntouched(): Promise<void> {
    const messages = await messagesTo(PENDING);
    expect(messages.map(({ subject }) => subject)).to.deep.equal(['Please confirm your subscription']);
    expect(await stage.deps.db.contacts.countDocuments({ email: PENDING })).to.equal(0);
    const search = await stage.own.client.post('/contacts/search/emails', { emails: [PENDING] });
    expect(JSON.stringify(search.body)).to.not.contain(PENDING);
    const audience = await stage.own.client.post('/campaigns/audience', { sendToGlobalList: true });
    expect(audience.text).to.not.contain(PENDING);
  }
});
