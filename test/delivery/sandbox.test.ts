import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { sandboxBehaviour } from '../../core/base/sandbox.ts';
import { builtInCode } from '../../core/consent/suppressions/built-in-groups.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { anyFreePort } from '../../stack/ports.ts';
import { type Servers, startServers } from '../../stack/servers/all.ts';
import { activeAutomation, created, email, makeSending, wait } from '../automations/support.ts';
import { HTML, SENDER, type Stage, startStage } from '../campaigns/support.ts';
import { temporaryFolder } from '../stack/temporary.ts';
import { openSubmission, type SubmissionDoor } from '../support/mail/submission.ts';
import { until } from '../support/wait.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const NAMES = ['delivered', 'bounced', 'complained', 'deferred', 'suppressed'] as const;
const WAYS = ['single', 'submission', 'campaign'] as const;
const REAL = 'ada@example.org';
const DEFERRED_MS = 15_000;

type Name = (typeof NAMES)[number];
type Way = (typeof WAYS)[number];

const titles: Record<Way, string> = {
  single: 'a single mail',
  submission: 'a mail by SMTP submission',
  campaign: 'a recipient of a campaign',
};

const at = (name: string, tag: string) => `${name}+${tag}@sandbox.everpost.test`;

interface Scene {
  stage: Stage;
  submission: SubmissionDoor;
  stop(): Promise<void>;
}

async function openScene(env: Record<string, string> = {}): Promise<Scene> {
  const hookPort = await anyFreePort();
  const receiver = await startReceiver(hookPort);
  const stage = await startStage({
    env: {
      ALLOW_PRIVATE_URLS: `127.0.0.1:${hookPort}`,
      ...{ INBOUND_SMTP_PORT: String(await anyFreePort()), MAIL_HOST: 'mx.example.com', SMTP_MAILBOX: 'false' },
      ...env,
    },
    lanes: ['workflows', 'background', 'campaign', 'mail', 'inbound'],
  });
  const events = ['email.sent', 'email.bounced', 'email.spam_reported'];
  expect((await stage.own.client.post('/webhooks', { url: receiver.url, events })).status).to.equal(201);
  const submission = await openSubmission({ deps: stage.deps, key: stage.own.projectKey });
  return {
    stage,
    submission,
    async stop() {
      await submission.close();
      await stage.stop();
      await receiver.stop();
    },
  };
}

async function change({ environment, own }: Stage, settings: object): Promise<void> {
  const { status, text } = await environment
    .client(own.adminKey)
    .patch(`/account/projects/${own.project._id}`, settings);
  expect(status, text).to.equal(200);
}

const mailTo = (to: string, more: object = {}) => ({
  ...{ from: { email: SENDER }, to: { email: to }, subject: 'A test', html: HTML },
  ...more,
});

/** A mail to the address in that state: ids of one second have no order, so none is the newest. */
const settled = ({ deps, own }: Stage, email: string, state: Message['state']) =>
  until(
    () => deps.db.messages.findOne({ projectId: own.project._id, email, state }),
    (found) => found !== null,
    { ms: DEFERRED_MS },
  );

const eventsOf = ({ deps, own }: Stage, email: string) =>
  deps.db.projectEvents.find({ projectId: own.project._id, 'data.email': email }).toArray();

const entriesOf = ({ deps, own }: Stage, email: string) =>
  deps.db.suppressions.find({ projectId: own.project._id, email }).toArray();

/** Everything that reached the relay of the sink, by address. */
const reached = ({ sink }: Stage) => sink.ledger.messages.flatMap(({ to }) => to);

describe('Sandbox addresses', () => {
  describe('at a relay, in a project that switched them on', () => {
    let scene: Scene;
    before(async () => {
      scene = await openScene();
      await change(scene.stage, { sandboxAddresses: true });
      await sendAll(scene);
    });
    after(() => scene.stop());

    behaves(() => scene);

    it('The relay gets the mail to other people alone.', () => {
      expect([...new Set(reached(scene.stage))]).to.deep.equal([REAL]);
    });

    it('A mail to a person and to sandbox addresses goes to the person, and each address has its own outcome.', async () => {
      const { stage } = scene;
      const cc = ['bounced', 'deferred', 'suppressed'].map((name) => ({ email: at(name, 'cc') }));
      const { body } = await stage.own.client.post('/mails/send', mailTo('eve@example.org', { cc }));
      const statusOf = (recipients: Message['recipients']) => recipients?.map(({ state }) => state).join(' ');
      const _id = new ObjectId(body.data.emailId as string);
      const message = await until(
        () => stage.deps.db.messages.findOne({ _id, projectId: stage.own.project._id }),
        (found) => statusOf(found?.recipients) === 'sent bounced sent suppressed',
        { ms: DEFERRED_MS },
      );
      expect(message?.state).to.equal('sent');
      expect(reached(stage).filter((email) => email !== REAL)).to.deep.equal(['eve@example.org']);
    });

    it('They answer mail of bulk, batch and automations.', async () => {
      const { stage } = scene;
      const { client } = stage.own;
      const { to: _, ...shared } = mailTo(REAL);
      const made = await client.post('/mails/bulk', { ...shared, recipients: [{ email: at('bounced', 'bulk') }] });
      expect(made.body.data.successCount, made.text).to.equal(1);
      await client.post('/mails/batch', { mails: [mailTo(at('bounced', 'batch'))] });
      await makeSending(stage.deps, stage.own);
      const { id: listId } = await created(client, '/contact-lists', { name: 'Automation' });
      const entryCriteria = { type: 'contact_added_to_list', listId };
      await activeAutomation(client, { entryCriteria, steps: [wait(0), email('hello')] });
      for (const name of ['bounced', 'suppressed'])
        await client.post('/contacts/email', { email: at(name, 'automation'), listIds: [listId] });
      for (const way of ['bulk', 'batch', 'automation']) await settled(stage, at('bounced', way), 'bounced');
      await settled(stage, at('suppressed', 'automation'), 'suppressed');
      expect(reached(stage).filter((one) => one.endsWith('sandbox.everpost.test'))).to.deep.equal([]);
    });

    it('A name that the sandbox does not have is refused, with the names that it has.', async () => {
      const { body, status } = await scene.stage.own.client.post('/mails/send', mailTo(at('nobody', 'x')));
      expect(status).to.equal(400);
      expect(body.error.details).to.match(/^to: There is no such address .*delivered@, bounced@/);
    });

    it('Bounces and complaints suppress where the project asks for it, and the entries stay.', async () => {
      const { stage } = scene;
      await change(stage, { sandboxSuppressions: true });
      for (const [name, type, reason] of [
        ['bounced', 'email.bounced', 'BOUNCE'],
        ['complained', 'email.spam_reported', 'COMPLAINT'],
      ] as const) {
        const email = at(name, 'kept');
        await stage.own.client.post('/mails/send', mailTo(email));
        const events = await until(
          () => eventsOf(stage, email),
          (found) => found.some((one) => one.type === type),
        );
        if (name === 'bounced') expect(events.find((one) => one.type === type)?.data.suppressed).to.equal(true);
        expect((await entriesOf(stage, email)).map((entry) => entry.reason)).to.deep.equal([reason]);
        await stage.own.client.post('/mails/send', mailTo(email));
        expect((await settled(stage, email, 'suppressed'))?.suppressedBy?.reason).to.equal(reason);
      }
      await change(stage, { sandboxSuppressions: false });
      expect(await entriesOf(stage, at('bounced', 'kept'))).to.have.length(1);
    });
  });

  describe('at a relay that is a mailbox, in a project that switched on nothing', () => {
    const folder = temporaryFolder();
    let servers: Servers;
    let scene: Scene;
    before(async () => {
      servers = await startServers({ dataDir: folder(), kinds: ['mailbox'] });
      scene = await openScene(servers.environment as Record<string, string>);
      await sendAll(scene);
    });
    after(async () => {
      await scene.stop();
      await servers.stop();
    });

    behaves(() => scene);

    it('The mailbox shows what the sandbox has taken, once, and nothing that was suppressed.', async () => {
      const mails = (await (await fetch(`${servers.mailbox?.pageUrl}/email`)).json()) as Array<{
        envelope: { to: string[] };
      }>;
      const kept = mails.flatMap(({ envelope }) => envelope.to).sort();
      const taken = NAMES.filter((name) => name !== 'suppressed').flatMap((name) => WAYS.map((way) => at(name, way)));
      expect(kept).to.deep.equal([REAL, ...taken].sort());
    });
  });

  describe('at a relay, in a project that did not switch them on', () => {
    let scene: Scene;
    before(async () => {
      scene = await openScene();
    });
    after(() => scene.stop());

    const email = at('bounced', 'off');

    it('POST /mails/send, bulk and batch refuse them with the name of the setting, and write nothing.', async () => {
      const { client, project } = scene.stage.own;
      const { to: _, ...shared } = mailTo(email);
      const calls = [
        ['send', mailTo(email), 'to'],
        ['send', mailTo(REAL, { cc: [{ email }] }), 'to'],
        ['bulk', { ...shared, recipients: [{ email: REAL }, { email }] }, 'recipients/1'],
        ['batch', { mails: [mailTo(REAL), mailTo(email)] }, 'mails/1/to'],
      ] as const;
      for (const [door, body, field] of calls) {
        const answer = await client.post(`/mails/${door}`, body);
        expect(answer.status, answer.text).to.equal(400);
        expect(answer.body.error.details).to.contain(`${field}: Sandbox addresses`).and.contain('sandboxAddresses');
      }
      expect(await scene.stage.deps.db.messages.countDocuments({ projectId: project._id })).to.equal(0);
    });

    it('SMTP submission refuses them at RCPT.', async () => {
      const refusal = await scene.submission.hand({ raw: `From: ${SENDER}\nSubject: A\n\nB`, to: [REAL, email] });
      expect(refusal).to.match(/^550 5\.7\.1 Sandbox addresses .* sandboxAddresses/);
    });

    it('In a campaign they fail with the name of the setting; the others get their mail.', async () => {
      const { stage } = scene;
      const people = [REAL, email, at('suppressed', 'off')];
      const listId = await stage.list(people.length, (index) => people[index]!);
      const id = await stage.launch({ toLists: [listId] });
      await stage.until(id, 'sent');
      expect(await stage.progress(id)).to.include({ total: 3, sent: 1, failed: 2, bounced: 0, suppressed: 0 });
      const [row] = await stage.messages(id, { email });
      expect(row?.reason).to.contain('sandboxAddresses');
      expect(reached(stage)).to.deep.equal([REAL]);
    });

    it('A mail that waits when they are switched off fails in the same way.', async () => {
      const { stage } = scene;
      await change(stage, { sandboxAddresses: true });
      const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
      await stage.own.client.post('/mails/send', mailTo(at('delivered', 'later'), { scheduledAt }));
      await change(stage, { sandboxAddresses: false });
      await stage.deps.db.messages.updateMany({ projectId: stage.own.project._id, state: 'scheduled' }, [
        { $set: { dueAt: '$$NOW' } },
      ]);
      const message = await settled(stage, at('delivered', 'later'), 'failed');
      expect(message?.reason).to.contain('sandboxAddresses');
      expect(reached(stage)).to.not.include(at('delivered', 'later'));
    });
  });

  it('An address is known by its name, with anything after a +.', () => {
    expect(sandboxBehaviour('bounced@sandbox.everpost.test')).to.equal('bounced');
    expect(sandboxBehaviour('deferred+a+b@sandbox.everpost.test')).to.equal('deferred');
    for (const other of ['bouncedx@sandbox.everpost.test', 'bounced@everpost.test', 'bounced@x.sandbox.everpost.test'])
      expect(sandboxBehaviour(other), other).to.equal(null);
  });
});

/** Each address by each way, and one person by a campaign. */
async function sendAll({ stage, submission }: Scene): Promise<void> {
  const { client } = stage.own;
  for (const name of NAMES) {
    const { status, text } = await client.post('/mails/send', mailTo(at(name, 'single')));
    expect(status, text).to.be.lessThan(300);
    await submission.send({ from: SENDER, to: at(name, 'submission'), subject: 'A test', text: 'A test' });
  }
  const people = [REAL, ...NAMES.map((name) => at(name, 'campaign'))];
  const listId = await stage.list(people.length, (index) => people[index]!);
  await stage.launch({ toLists: [listId] });
}

/** Of what sendAll has sent. */
function behaves(scene: () => Scene): void {
  const checks: Record<Name, (stage: Stage, email: string) => Promise<void>> = {
    async delivered(stage, email) {
      const message = await settled(stage, email, 'sent');
      expect(message?.deferrals ?? 0).to.equal(0);
      expect(message?.reply?.code).to.equal(250);
    },
    async bounced(stage, email) {
      const message = await settled(stage, email, 'bounced');
      expect(message?.reply).to.include({ code: 550, enhanced: '5.1.1' });
      const events = await until(
        () => eventsOf(stage, email),
        (found) => found.length >= 2,
      );
      expect(events.map(({ type }) => type).sort()).to.deep.equal(['email.bounced', 'email.sent']);
      expect(events.find(({ type }) => type === 'email.bounced')?.data).to.include({
        category: 'mailbox',
        suppressed: false,
      });
    },
    async complained(stage, email) {
      const events = await until(
        () => eventsOf(stage, email),
        (found) => found.length >= 2,
      );
      expect(events.map(({ type }) => type).sort()).to.deep.equal(['email.sent', 'email.spam_reported']);
      const message = await settled(stage, email, 'sent');
      expect(message?.state).to.equal('sent');
    },
    async deferred(stage, email) {
      const message = await settled(stage, email, 'sent');
      expect(message?.deferrals).to.equal(1);
      expect(message?.timeline?.map(({ type }) => type)).to.deep.equal(['deferred']);
    },
    async suppressed(stage, email) {
      const message = await settled(stage, email, 'suppressed');
      const groupId = builtInCode(stage.own.project._id, 'global');
      expect(message?.suppressedBy).to.deep.equal({ groupId, reason: 'SANDBOX' });
    },
  };
  for (const way of WAYS)
    for (const name of NAMES)
      it(`${name}@ behaves as its name says: ${titles[way]}.`, () => checks[name](scene().stage, at(name, way)));

  it('The counts of the campaign are exact, and a bounced recipient is among the sent ones.', async () => {
    const { stage } = scene();
    const campaign = await stage.deps.db.campaigns.findOne({ projectId: stage.own.project._id });
    const id = String(campaign?._id);
    await stage.until(id, 'sent');
    const counts = await until(
      () => stage.progress(id),
      ({ bounced }) => bounced === 1,
    );
    expect(counts).to.include({ total: 6, sent: 5, bounced: 1, suppressed: 1, failed: 0, unknown: 0, pending: 0 });
  });

  it('Nothing of it is on the list of suppressed addresses, and no report is left.', async () => {
    const { deps, own } = scene().stage;
    expect(await deps.db.suppressions.countDocuments({ projectId: own.project._id })).to.equal(0);
    await until(
      () => deps.db.sandboxReports.countDocuments({ projectId: own.project._id }),
      (count) => count === 0,
    );
  });
}
