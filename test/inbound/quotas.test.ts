import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { mailLocalPart } from '../../core/mail/compose/tokens.ts';
import { reportMail } from '../../core/mail/deliver/sandbox/report-text.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { measureInbound } from '../../workers/inbound-role.ts';
import { receivingDomain } from '../feedback/support.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { connectClient, type Door, openDoor } from '../support/mail/inbound-door.ts';

const HOST = 'mail.example.com';
const GREEDY = '127.0.0.2';
const DAY_MS = 86_400_000;
const FULL_NETWORK = /^452 4\.3\.1 This is over the 1 MB a day of your network; come back after midnight UTC$/;
const FULL_PROJECT = /^452 4\.2\.2 This is over the 1 MB a day of this domain; come back after midnight UTC$/;

describe('Quotas of inbound mail', () => {
  let environment: Environment;
  let doors: Door[] = [];
  before(async () => {
    environment = await startEnvironment({ MAIL_HOST: HOST, DNS_SERVERS: '127.0.0.1:9' });
  });
  beforeEach(async () => {
    // Midnight, when all quotas begin again, does not come during a test.
    environment.clock.set(new Date(new Date().setUTCHours(12, 0, 0, 0)));
    await environment.deps.db.inboundUsage.deleteMany({});
    await environment.deps.db.inboundMessages.deleteMany({});
  });
  afterEach(async () => {
    for (const { server } of doors.splice(0)) await server.close();
  });
  after(() => environment.stop());

  async function open(config: Parameters<typeof openDoor>[1]): Promise<Door> {
    const door = await openDoor(environment, config);
    doors = [...doors, door];
    return door;
  }
  const ofNetwork = { inboundNetworkMbPerDay: 1 };
  const ofProject = { inboundProjectMbPerDay: 1 };

  let count = 0;
  function mail(to: string, bytes: number, localAddress = GREEDY) {
    count += 1;
    const raw = `Subject: ${count}\nMessage-ID: <${count}@sender.example.net>\n\n${`${'x'.repeat(78)}\n`.repeat(bytes / 80)}`;
    return { from: 'ada@sender.example.net', to, raw, localAddress };
  }
  const stored = () => environment.deps.db.inboundMessages.countDocuments({});
  const usages = () => environment.deps.db.inboundUsage.find({}).sort({ _id: 1 }).toArray();
  const health = async () => {
    const { status, body, text } = await environment.own.client.get('/reports/health');
    expect(status, text).to.equal(200);
    return body.data.inbound;
  };

  it('A network that has brought its bytes of the day is put off with 452, another is not, and the next day it is taken.', async () => {
    const door = await open(ofNetwork);
    const to = `a@${await receivingDomain(environment, environment.own)}`;
    for (let taken = 0; taken < 3; taken += 1) expect((await door.send(mail(to, 300_000))).data).to.match(/^250/);
    expect((await door.send(mail(to, 300_000))).data).to.match(FULL_NETWORK);
    const another = `a@${await receivingDomain(environment, environment.other)}`;
    expect((await door.send(mail(another, 300_000))).data, 'to another project').to.match(FULL_NETWORK);
    expect((await door.send(mail(to, 300_000, '127.0.0.3'))).data).to.match(/^250/);
    expect(await stored()).to.equal(4);
    environment.clock.advance(DAY_MS);
    expect((await door.send(mail(to, 300_000))).data).to.match(/^250/);
  });

  it('A project that has received its bytes of the day is put off with 452, from each network, and another project is not.', async () => {
    const door = await open(ofProject);
    const to = `a@${await receivingDomain(environment, environment.own)}`;
    for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.4'])
      expect((await door.send(mail(to, 300_000, from))).data).to.match(/^250/);
    expect((await door.send(mail(to, 300_000, '127.0.0.5'))).data).to.match(FULL_PROJECT);
    const refused = (await usages()).find(({ network }) => network === '127.0.0.5');
    expect(refused?.bytes, 'of the network of a mail that was not taken').to.equal(0);
    const another = `a@${await receivingDomain(environment, environment.other)}`;
    expect((await door.send(mail(another, 300_000))).data).to.match(/^250/);
    const shown = await health();
    expect(shown.project).to.include({ putOff: 1 });
    expect(shown.project.bytes).to.be.within(900_000, 910_000);
  });

  it('A mail that is over the quota at its dot leaves nothing and counts nothing, so that a smaller one is taken.', async () => {
    const door = await open(ofNetwork);
    const to = `a@${await receivingDomain(environment, environment.own)}`;
    expect((await door.send(mail(to, 600_000))).data).to.match(/^250/);
    expect((await door.send(mail(to, 600_000))).data).to.match(FULL_NETWORK);
    expect(await stored()).to.equal(1);
    expect((await door.send(mail(to, 300_000))).data).to.match(/^250/);
  });

  it('A mail that names a size over the quota is put off before its bytes are sent; one that fits is not.', async () => {
    const door = await open(ofNetwork);
    const to = `a@${await receivingDomain(environment, environment.own)}`;
    expect((await door.send(mail(to, 300_000))).data).to.match(/^250/);
    const { socket, line, ask } = connectClient(door.port, GREEDY);
    const offer = async (size: number) => {
      await ask('RSET');
      await ask(`MAIL FROM:<ada@sender.example.net> SIZE=${size}`);
      return ask(`RCPT TO:<${to}>`);
    };
    await line();
    await ask('EHLO sender.example.net');
    expect(await offer(800_000)).to.match(FULL_NETWORK);
    expect(await offer(600_000)).to.match(/^250/);
    socket.destroy();
  });

  it('Two processes together take no more than the quota, and every mail with 250 is stored.', async () => {
    const [one, two] = [await open(ofProject), await open(ofProject)];
    const to = `a@${await receivingDomain(environment, environment.own)}`;
    const sent = Array.from({ length: 16 }, (_, index) =>
      (index % 2 ? one : two).send(mail(to, 120_000, `127.0.0.${10 + index}`)),
    );
    const replies = (await Promise.all(sent)).map(({ rcpt, data }) => data ?? rcpt[0] ?? '');
    const taken = replies.filter((reply) => reply.startsWith('250'));
    expect(taken).to.have.length(8);
    for (const reply of replies) expect(reply).to.match(/^250|^452 4\.2\.2/);
    expect(await stored()).to.equal(8);
  });

  it('A small mail counts 4 kB, and one that is delivered again counts once.', async () => {
    const door = await open({});
    const to = `a@${await receivingDomain(environment, environment.own)}`;
    const small = mail(to, 80);
    for (let times = 0; times < 3; times += 1) expect((await door.send(small)).data).to.match(/^250/);
    expect((await usages()).map(({ bytes }) => bytes)).to.deep.equal([4_096, 4_096]);
    expect((await door.send(mail(to, 80))).data).to.match(/^250/);
    expect((await usages()).map(({ bytes }) => bytes)).to.deep.equal([8_192, 8_192]);
  });

  it('Returned mail, complaints and unsubscribes are taken while both quotas are used up, also together with a recipient that is put off.', async () => {
    const { deps, own } = environment;
    const door = await open({ ...ofNetwork, ...ofProject });
    const domainName = await receivingDomain(environment, own);
    expect((await door.send(mail(`a@${domainName}`, 990_000))).data).to.match(/^250/);
    const ref = { projectId: own.project._id, messageId: new ObjectId() };
    const [bounce, leave] = (['b', 'u'] as const).map((kind) => `${mailLocalPart(deps.config, kind, ref)}@${HOST}`);
    const before = await usages();
    const report = {
      ...{ _id: new ObjectId(), ...ref, kind: 'complaint' as const, email: 'a@b.example', returnPath: bounce! },
      ...{ head: `Subject: ${'long '.repeat(60_000)}`, createdAt: deps.clock.now() },
    };
    const { to, text } = reportMail(report, HOST);
    for (const one of [mail(bounce!, 300_000), { to, raw: text }]) {
      const { rcpt, data } = await door.send(one);
      expect([rcpt[0], data].join(), String(one.to)).to.match(/^250.*,250/);
    }
    // Its sender is not proven to be the person, and no quota is why it is not taken.
    const unsubscribed = await door.send(mail(leave!, 80));
    expect(unsubscribed.rcpt[0]).to.match(/^250/);
    expect(unsubscribed.data).to.not.match(/^452/);
    expect(await usages()).to.deep.equal(before);
    const both = { ...mail('', 80), to: [`a@${domainName}`, bounce!] };
    expect((await door.send({ ...both, raw: both.raw + 'x'.repeat(20_000) })).data).to.match(/^452 4\.3\.1/);
    await deps.db.inboundUsage.updateMany({}, { $set: { bytes: 1_000_000 } });
    const { rcpt, data } = await door.send(both);
    expect(rcpt[0]).to.match(FULL_NETWORK);
    expect([rcpt[1], data].join()).to.match(/^250.*,250/);
  });

  it('Health shows the bytes of the project and the networks that are put off, and these only to an organization that is alone.', async () => {
    const { deps, own } = environment;
    const metrics = createMetrics();
    measureInbound(metrics, deps);
    const door = await open({ inboundNetworkMbPerDay: 1 });
    const to = `a@${await receivingDomain(environment, own)}`;
    for (const from of ['127.0.0.2', '127.0.0.3'])
      expect((await door.send(mail(to, 900_000, from))).data).to.match(/^250/);
    expect((await door.send(mail(to, 900_000))).data).to.match(FULL_NETWORK);
    const shown = await health();
    const midnight = `${environment.clock.now().toISOString().slice(0, 10)}T00:00:00.000Z`;
    expect(shown).to.include({ from: midnight, networks: null });
    expect(shown.project).to.include({ bytesMax: 2_048_000_000, putOff: 0 });
    expect(shown.project.bytes).to.be.within(1_800_000, 1_810_000);
    const others = await deps.db.organizations.find({ _id: { $ne: own.organization._id } }).toArray();
    await deps.db.organizations.deleteMany({ _id: { $in: others.map(({ _id }) => _id) } });
    try {
      const { networks } = await health();
      expect(networks).to.have.length(1);
      expect(networks[0]).to.include({ network: GREEDY, bytesMax: 512_000_000, putOff: 1 });
    } finally {
      await deps.db.organizations.insertMany(others);
    }
    const text = await metrics.registry.metrics();
    expect(text).to.match(/^everpost_inbound_put_off_total\{quota="network"\} 1$/m);
    expect(text).to.match(/^everpost_inbound_put_off_total\{quota="project"\} 0$/m);
    expect(text).to.match(/^everpost_inbound_bytes_total 180\d{4}$/m);
  });
});
