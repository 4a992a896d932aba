import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { checkDomain } from '../../core/domains/checks.ts';
import { publishEvents, WEBHOOK_DELIVERIES } from '../../core/events/events.ts';
import { listen } from '../../core/events/listeners.ts';
import { queueChannel } from '../../core/jobs/fair-scheduler.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import { eventExamples } from '../../schemas/examples/events.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { openStream } from './support.ts';

const HOUR_MS = 3_600_000;
const CACHED_MS = 2_100;

describe('The types that streams ask for', () => {
  const environment = useEnvironment();
  let tenant: Tenant;

  beforeEach(async () => {
    environment.clock.set(new Date());
    tenant = await environment.newTenant('Read');
  });
  after(() => environment.clock.set(new Date()));

  const example = (name: string) => (eventExamples[name] as { data: Record<string, unknown> }).data;
  const contacts = (key: string) => ({ type: 'contact.created' as const, key, data: example('ContactCreatedEvent') });
  const mails = (key: string) => ({ type: 'email.sent' as const, key, data: example('EmailSentEvent') });
  const publish = (key: string) => publishEvents(environment.deps, tenant.project._id, [contacts(key), mails(key)]);
  const written = async () => {
    const found = await environment.deps.db.projectEvents.find({ projectId: tenant.project._id }).toArray();
    return found.map(({ type }) => type).sort();
  };
  /** Readers are remembered for two seconds, by a clock that no test moves. */
  const forget = () => sleep(CACHED_MS);

  it('are written, and no others, until an hour after the stream ended', async () => {
    await publish('before');
    expect(await written()).to.deep.equal([]);
    const stream = await openStream(environment, tenant.projectKey, '/stream?types=contact.created');
    await publish('one');
    expect(await written()).to.deep.equal(['contact.created']);
    const other = await openStream(environment, tenant.projectKey, '/stream?types=email.*');
    await publish('two');
    expect(await written()).to.deep.equal(['contact.created', 'contact.created', 'email.sent']);
    await Promise.all([stream.close(), other.close()]);
    environment.clock.advance(HOUR_MS / 2);
    const again = await openStream(environment, tenant.projectKey, '/stream?types=contact.created');
    environment.clock.advance(HOUR_MS * 0.6);
    await forget();
    await publish('three');
    expect(await written()).to.deep.equal(['contact.created', 'contact.created', 'contact.created', 'email.sent']);
    await again.close();
    environment.clock.advance(HOUR_MS);
    await forget();
    await publish('four');
    expect(await written()).to.have.length(4);
  });

  it('are all that webhooks have without a choice, and where a former version has noted the stream', async () => {
    const { deps } = environment;
    const projectId = tenant.project._id;
    const openUntil = new Date(Date.now() + HOUR_MS);
    await deps.db.eventStreams.insertOne({ _id: projectId, projectId, openUntil });
    await publish('one');
    expect(await written()).to.deep.equal(['contact.created', 'email.sent']);
    await listen(deps, projectId, ['contact.deleted']);
    await publish('two');
    expect(await written()).to.have.length(4);
    const all = await environment.newTenant('All');
    const stream = await openStream(environment, all.projectKey, '/stream');
    await publishEvents(deps, all.project._id, [contacts('x'), mails('x')]);
    expect(await deps.db.projectEvents.countDocuments({ projectId: all.project._id })).to.equal(2);
    await stream.close();
  });

  it('wake no delivery of webhooks, unless a webhook reads them too', async () => {
    const { signals } = environment.deps;
    const ids: string[] = [];
    const stop = signals.subscribe(queueChannel(WEBHOOK_DELIVERIES), (id) => ids.push(id));
    const woken = () => ids.filter((id) => id === tenant.project._id.toHexString()).length;
    // Messages of one connection come in their order, so that whatever was published before has come by then.
    const allCame = async () => {
      const mark = new ObjectId().toHexString();
      await until(
        async () => signals.publish(queueChannel(WEBHOOK_DELIVERIES), mark),
        () => ids.includes(mark),
      );
    };
    const addContact = (email: string) => tenant.client.post('/contacts/email', { email });
    const stream = await openStream(environment, tenant.projectKey, '/stream');
    await allCame();
    await publish('one');
    await addContact('one@example.com');
    await stream.until(({ data }) => data.data.email === 'one@example.com');
    await allCame();
    expect(woken()).to.equal(0);
    await tenant.client.post('/webhooks', { url: 'https://example.com/hook', events: ['contact.created'] });
    await publishEvents(environment.deps, tenant.project._id, [mails('two')]);
    await allCame();
    expect(woken()).to.equal(0);
    await publish('three');
    await allCame();
    expect(woken()).to.equal(1);
    await addContact('two@example.com');
    await until(
      async () => woken(),
      (count) => count === 2,
    );
    stop();
    await stream.close();
  });

  it('may be figures, which have to be named in full and are of no webhook', async () => {
    const url = 'https://example.com/hook';
    const hook = await tenant.client.post('/webhooks', { url, events: ['import.progress'] });
    expect(hook.status).to.equal(400);
    expect((await tenant.client.get('/stream?types=import.*')).status).to.equal(400);
    const stream = await openStream(environment, tenant.projectKey, '/stream?types=domain.checked,contact.*');
    const data = example('ImportProgressEvent');
    await publishEvents(environment.deps, tenant.project._id, [{ type: 'import.progress', key: '1', data }]);
    expect(await written()).to.deep.equal([]);
    await stream.close();
  });

  it('say how far an import is, and that it ended, and are gone when no stream can resume there', async () => {
    const { deps } = environment;
    const stream = await openStream(environment, tenant.projectKey, '/stream?types=import.progress');
    const body = `email\n${Array.from({ length: 700 }, (_, index) => `i${index}@example.com`).join('\n')}\nnobody\n`;
    const init = { body, headers: { 'Content-Type': 'text/csv' } };
    const importId = (await tenant.client.send('POST', '/contacts/import', init)).body.data.importId as string;
    await importSlice(deps, { projectId: tenant.project._id, importId: new ObjectId(importId) }, { timeMs: 60_000 });
    const { data } = (await tenant.client.get(`/contacts/imports/${importId}`)).body;
    const told = await stream.until(({ data: event }) => event.data.status === 'completed_with_errors');
    expect(told.map(({ event }) => event)).to.include('import.progress');
    expect(told.at(-1)?.data.data).to.deep.equal(data);
    expect(told[0]?.data.data.processed).to.be.below(data.processed);
    const kept = await deps.db.projectEvents.find({ projectId: tenant.project._id }).toArray();
    for (const { eraseAt } of kept)
      expect(eraseAt?.getTime()).to.be.within(Date.now() + 3_500_000, Date.now() + 3_700_000);
    await stream.close();
  });

  it('say what DNS has for each record of a domain', async () => {
    const { deps } = environment;
    const stream = await openStream(environment, tenant.projectKey, '/stream?types=domain.checked');
    const made = (await tenant.client.post('/domains', { domainName: 'checked.example.com' })).body.data;
    expect(made.dnsRecords.dkim).to.include({ found: null });
    const { ownership } = made.dnsRecords;
    const answers: Record<string, string[] | null> = {
      [ownership.name]: ['something else', ownership.value],
      '_dmarc.checked.example.com': null,
      [made.dnsRecords.mailFrom[1].name]: ['v=spf1 -all'],
    };
    const dns = {
      txt: async (name: string) => (name in answers ? answers[name]! : []),
      mx: async () => [{ exchange: 'mx.elsewhere.example', priority: 5 }],
    };
    await checkDomain({ ...deps, dns }, tenant.project._id.toHexString(), made.id);
    const [told] = await stream.until(() => true);
    const { data } = (await tenant.client.get(`/domains/${made.id}`)).body;
    expect(told?.data.data).to.deep.equal(data);
    const { dkim, mailFrom, dmarc, ownership: now } = data.dnsRecords;
    expect([now.found, now.values]).to.deep.equal(['found', ['something else', ownership.value]]);
    expect([dkim.found, dkim.values]).to.deep.equal(['absent', []]);
    expect([mailFrom[0].found, mailFrom[0].values]).to.deep.equal(['different', ['5 mx.elsewhere.example']]);
    expect([mailFrom[1].found, mailFrom[1].values]).to.deep.equal(['different', ['v=spf1 -all']]);
    expect(dmarc.found).to.equal('unanswered');
    await stream.close();
  });
});
