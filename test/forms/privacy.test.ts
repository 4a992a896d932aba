import { expect } from 'chai';
import { STAMP_INPUT } from '../../schemas/forms.ts';
import { useEnvironment } from '../support/environment.ts';
import { profiled } from '../support/profile.ts';
import { type Desk, hiddenIn, type MadeForm, SITE, startDesk } from './support.ts';

describe('A form that was sent', function () {
  this.timeout(120_000);
  let desk: Desk;
  let form: MadeForm;
  let known: string;
  before(async function () {
    this.timeout(180_000);
    desk = await startDesk();
    form = await desk.form({ allowedOrigins: [SITE] });
    known = address();
    await desk.subscribe(form, { email: known });
  });
  after(() => desk.stop());
  beforeEach(() => desk.environment.clock.set(new Date()));

  let people = 0;
  const address = () => `known${++people}@in.test`;

  const headersOf = (headers: Headers) =>
    [...headers]
      .filter(([name]) => !['x-request-id', 'date'].includes(name))
      .map(([name, value]) => `${name}: ${value}`);

  async function complained(): Promise<string> {
    const email = address();
    await desk.suppress(email, 'COMPLAINT');
    return email;
  }

  async function waiting(): Promise<string> {
    const email = address();
    await desk.send(form, { email });
    await desk.settled();
    return email;
  }

  it('has the same answer, byte by byte, whether the address is known, waits, complained or is unknown', async () => {
    const { stamp } = await desk.shown(form);
    for (const ask of [
      (email: string) => desk.sendRaw(form, { [STAMP_INPUT]: stamp, email }, { Origin: 'null' }),
      (email: string) => desk.sendJson(form, { email }),
    ]) {
      const unknown = await ask(address());
      expect(unknown.status).to.equal(200);
      for (const email of [known, await waiting(), await complained()]) {
        const answer = await ask(email);
        expect([answer.status, answer.text, headersOf(answer.headers)]).to.deep.equal([
          200,
          unknown.text,
          headersOf(unknown.headers),
        ]);
      }
    }
  });

  describe('is forgotten', () => {
    it('with the contact of its address: what waits, and the link', async () => {
      const email = address();
      await desk.own.client.post('/contacts/email', { email });
      await desk.send(form, { email });
      const link = await desk.link(email);
      await desk.stopJobs();
      await desk.send(form, { email });
      const contact = await desk.contact(email);
      expect((await desk.own.client.delete(`/contacts/${contact?._id}`)).status).to.equal(200);
      expect(await desk.pending(email)).to.equal(null);
      expect(await desk.db.formSubmissions.countDocuments({ email })).to.equal(0);
      desk.startJobs();
      expect((await desk.press(link)).status).to.equal(404);
      expect(await desk.contact(email)).to.equal(null);
    });

    it('with its project', async () => {
      const { project, client, adminKey } = await desk.environment.newTenant('Over');
      const list = (await client.post('/contact-lists', { name: 'News' })).body.data.id;
      const { id } = (await client.post('/forms', { name: 'Form', listIds: [list] })).body.data;
      const theirs = { id, listId: list, path: `/f/${id}` };
      await desk.send(theirs, { email: address() });
      await desk.settled();
      await desk.stopJobs();
      await desk.send(theirs, { email: address() });
      const mine = { projectId: project._id };
      const counts = async () => {
        const { forms, formSubmissions, pendingSubscriptions } = desk.db;
        return Promise.all([
          forms.countDocuments(mine),
          formSubmissions.countDocuments(mine),
          pendingSubscriptions.countDocuments(mine),
        ]);
      };
      expect(await counts()).to.deep.equal([1, 1, 1]);
      await desk.environment.client(adminKey).delete(`/account/projects/${project._id}`);
      expect(await counts()).to.deep.equal([0, 0, 0]);
      desk.startJobs();
    });
  });
});

/** No queue of this process asks the database in between. */
describe('A form that is sent', function () {
  this.timeout(60_000);
  const environment = useEnvironment();

  it('asks the database the same for each of them, so that the time says nothing', async () => {
    const { own, deps, clock } = environment;
    const listIds = [(await own.client.post('/contact-lists', { name: 'News' })).body.data.id];
    const path = `/f/${(await own.client.post('/forms', { name: 'Form', listIds })).body.data.id}`;
    const [known, complained] = ['known@in.test', 'complained@in.test'];
    for (const email of [known, complained]) await own.client.post('/contacts/email', { email, listIds });
    const entry = { emails: [complained], reason: 'COMPLAINT' };
    expect((await own.client.post('/suppression-groups/emails/suppress', entry)).status).to.equal(200);
    const browser = environment.client(null, { Origin: 'null' });
    clock.advance(-5_000);
    const stamp = hiddenIn((await browser.get(path)).text, STAMP_INPUT);
    clock.advance(5_000);
    const commandsOf = async (email: string) => {
      const body = new URLSearchParams({ [STAMP_INPUT]: stamp, email }).toString();
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const operations = await profiled(deps, async () => {
        expect((await browser.send('POST', path, { body, headers })).status).to.equal(200);
      });
      const commands = operations.map(
        ({ op, ns, command }) => `${op} ${ns.split('.')[1]} ${Object.keys(command ?? {})[0]}`,
      );
      return commands.filter((command) => /form|contact|pending|suppress|consent|message|requestCounts/i.test(command));
    };
    // The first request of a kind may read what later ones have in memory.
    await commandsOf('first@in.test');
    const unknown = await commandsOf('unknown@in.test');
    expect(unknown).to.deep.equal([
      'query forms find',
      'command requestCounts findAndModify',
      'insert formSubmissions insert',
    ]);
    for (const email of [known, complained]) expect(await commandsOf(email)).to.deep.equal(unknown);
  });
});
