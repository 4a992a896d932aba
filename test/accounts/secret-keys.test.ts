import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { resealSecret, resealSecrets, secretKinds } from '../../core/accounts/stored-secrets.ts';
import type { Deps } from '../../core/base/deps.ts';
import { openDkimKey } from '../../core/domains/keys.ts';
import type { Domain } from '../../core/domains/model.ts';
import type { Webhook, WebhookHeaders } from '../../core/events/model.ts';
import { openHeaders } from '../../core/events/webhook-headers.ts';
import { signingSecrets, webhookSecret } from '../../core/events/webhook-secrets.ts';
import { mailLocalPart, readMailLocalPart, unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import { openKey } from '../../core/migrations/keys.ts';
import type { Migration } from '../../core/migrations/model.ts';
import { type Scene, start as startMigration, startScene, tenantWithA } from '../migrations/support.ts';
import { smallAccountA } from '../providers/account-a.ts';
import type { Tenant } from '../support/environment.ts';
import { admin, start } from './processes.ts';

/** The key of every test environment, and the one that replaces it. */
const OLD = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const NEW = `new:${Buffer.alloc(32, 8).toString('base64')}`;
/** The driver of MongoDB gives up after 2.5 s. */
const CHECK_FAILED_MS = 3_500;
const SCRIPTS = ['api/main.ts', 'workers/main.ts'] as const;
const KINDS = [
  ...['DKIM keys', 'Ed25519 DKIM keys', 'webhook secrets', 'replaced webhook secrets'],
  ...['webhook header sets', 'provider keys'],
];
const HEADERS = [{ name: 'X-Key', value: 'a key of theirs' }];

describe('Secret keys', function () {
  this.timeout(180_000);
  let scene: Scene;
  let tenant: Tenant;
  let deps: Deps;
  let shownSecrets: string[];
  let providerKey: string;
  before(async () => {
    scene = await startScene();
    deps = scene.env.deps;
  });
  after(() => scene.stop());

  /** One secret of each kind, sealed through the API. No worker runs, so the migration keeps its key. */
  beforeEach(async () => {
    const { domains, webhooks, previousWebhookSecrets, webhookHeaders, migrationSecrets } = deps.db;
    for (const secrets of [webhooks, previousWebhookSecrets, webhookHeaders, migrationSecrets])
      await secrets.deleteMany({});
    await domains.deleteMany({});
    const account = smallAccountA();
    providerKey = account.key;
    tenant = await tenantWithA(scene, account);
    await tenant.client.post('/domains', { domainName: 'mail.example.com' });
    const { id, secret } = await newWebhook();
    const rotated = await tenant.client.post(`/webhooks/${id}/rotate-secret`);
    shownSecrets = [rotated.body.data.secret, secret];
    const webhook = { url: 'https://example.com/', headers: HEADERS };
    await tenant.client.post('/automations', { name: 'Posts', steps: [{ type: 'webhook', webhook }] });
    await startMigration(tenant, 'providerA', { apiKey: account.key, migrateAll: true });
  });

  async function newWebhook(): Promise<{ id: string; secret: string }> {
    const hook = { url: 'https://example.com/', events: ['contact.created'] };
    return (await tenant.client.post('/webhooks', hook)).body.data;
  }

  const withKeys = (secretKeys: string): Deps => ({
    ...deps,
    config: { ...deps.config, secretKeys: secretKeys.split(',') },
  });

  async function stored() {
    const [domain, webhook, previous, headers, job, secret] = await Promise.all([
      deps.db.domains.findOne({}) as Promise<Domain>,
      deps.db.webhooks.findOne({}) as Promise<Webhook>,
      deps.db.previousWebhookSecrets.findOne({}),
      deps.db.webhookHeaders.findOne({}) as Promise<WebhookHeaders>,
      deps.db.migrations.findOne({ projectId: tenant.project._id }) as Promise<Migration>,
      deps.db.migrationSecrets.findOne({}),
    ]);
    return {
      domain,
      webhook,
      job,
      headers,
      sealed: [
        domain.dkim.privateKey,
        domain.dkimEd25519?.privateKey,
        webhook.secret,
        previous?.sealed,
        headers.sealed,
        secret?.sealed,
      ],
    };
  }

  async function opened(secretKeys: string): Promise<string[]> {
    const { domain, webhook, headers, job } = await stored();
    const keyed = withKeys(secretKeys);
    return [
      openDkimKey(keyed, domain, 'dkim').privateKey,
      openDkimKey(keyed, domain, 'dkimEd25519').privateKey,
      ...(await signingSecrets(keyed, webhook)),
      JSON.stringify(await openHeaders(keyed, headers)),
      await openKey(keyed, job),
    ];
  }

  const keyNames = async () => (await stored()).sealed.map((sealed) => sealed?.keyId);
  const countsIn = (output: string) =>
    output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  describe('npm run admin -- reseal', () => {
    it('seals every stored secret with the first key, counts them by kind, and each opens to the same text', async () => {
      const before = await opened(OLD);
      expect(before.slice(2)).to.deep.equal([...shownSecrets, JSON.stringify(HEADERS), providerKey]);
      const { code, output } = await admin(scene.env, `${NEW},${OLD}`, 'reseal');
      expect(code, output).to.equal(0);
      const counts = { resealed: 1, current: 0, changed: 0, unopened: 0 };
      expect(countsIn(output)).to.deep.equal(KINDS.map((kind) => ({ kind, ...counts })));
      expect(await keyNames()).to.deep.equal(['new', 'new', 'new', 'new', 'new', 'new']);
      expect(await opened(NEW)).to.deep.equal(before);
    });

    it('may be repeated: the second time changes nothing', async () => {
      await resealSecrets(withKeys(`${NEW},${OLD}`));
      const { sealed } = await stored();
      const { code, output } = await admin(scene.env, `${NEW},${OLD}`, 'reseal');
      expect(code, output).to.equal(0);
      for (const counts of countsIn(output)) expect(counts).to.include({ resealed: 0, current: 1 });
      expect((await stored()).sealed).to.deep.equal(sealed);
    });

    it('leaves a secret that was replaced after it was read', async () => {
      const kind = secretKinds.find(({ name }) => name === 'webhook secret');
      const { webhook } = await stored();
      const read = { _id: webhook._id, projectId: webhook.projectId, sealed: webhook.secret };
      const { secret: replaced } = (await newWebhook().then(() =>
        deps.db.webhooks.findOne({ _id: { $ne: webhook._id } }),
      )) as Webhook;
      await deps.db.webhooks.updateOne({ _id: webhook._id }, { $set: { secret: replaced } });
      expect(kind && (await resealSecret(withKeys(`${NEW},${OLD}`), kind, read))).to.equal('changed');
      expect((await deps.db.webhooks.findOne({ _id: webhook._id }))?.secret).to.deep.equal(replaced);
    });

    it('seals each secret once when two run at the same time', async () => {
      for (let made = 1; made < 20; made++) await newWebhook();
      const keyed = withKeys(`${NEW},${OLD}`);
      const both = await Promise.all([resealSecrets(keyed), resealSecrets(keyed)]);
      const resealed = both.map((counts) => counts.find(({ kind }) => kind === 'webhook secrets')?.resealed ?? 0);
      expect(resealed.reduce((sum, count) => sum + count)).to.equal(20);
      const hooks = await deps.db.webhooks.find({}).toArray();
      for (const hook of hooks) expect(webhookSecret(withKeys(NEW), hook)).to.match(/^whsec_/);
    });

    it('ends with 1 and says which keys are missing, and seals what it can', async () => {
      await deps.db.webhooks.updateOne({}, { $set: { 'secret.keyId': 'lost' } });
      const { code, output } = await admin(scene.env, `${NEW},${OLD}`, 'reseal');
      expect(code).to.equal(1);
      expect(output).to.include('{"kind":"webhook secrets","resealed":0,"current":0,"changed":0,"unopened":1}');
      expect(output).to.include('SECRET_KEYS does not name the keys of 1 webhook secret (lost).');
      expect(await keyNames()).to.deep.equal(['new', 'new', 'lost', 'new', 'new', 'new']);
    });
  });

  for (const script of SCRIPTS)
    describe(script, () => {
      it('ends with 1 and counts the secrets by kind when SECRET_KEYS does not name their key', async () => {
        await newWebhook();
        const began = await start(scene.env, script, NEW).began;
        expect(began).to.deep.equal({
          code: 1,
          output:
            'SECRET_KEYS does not name the keys of 1 DKIM key (test), 1 Ed25519 DKIM key (test), 2 webhook secrets (test), ' +
            '1 replaced webhook secret (test), 1 webhook header set (test), 1 provider key (test). ' +
            'Name these keys again behind the first one; docs/operators/secret-keys.md says how a key is replaced.\n',
        });
      });

      it('starts with the new key in front of the old one, and without the old one after a reseal', async () => {
        for (const [secretKeys, reseal] of [
          [`${NEW},${OLD}`, true],
          [NEW, false],
        ] as const) {
          const running = start(scene.env, script, secretKeys);
          expect(await running.began).to.equal('ready');
          if (reseal) await resealSecrets(withKeys(secretKeys));
          expect((await running.stop()).code).to.equal(0);
        }
      });
    });

  it('API and worker end with 1 as soon as MongoDB answers, when it did not at the start', async () => {
    const ends = SCRIPTS.map(async (script) => {
      const gate = await openGate(new URL(deps.config.mongodbUrl.replace('mongodb:', 'http:')));
      const mongodb = { MONGODB_URL: `mongodb://127.0.0.1:${gate.port}/?directConnection=true` };
      const { ended } = start(scene.env, script, NEW, mongodb);
      await gate.asked;
      await sleep(CHECK_FAILED_MS);
      gate.pass();
      return ended.finally(gate.close);
    });
    for (const { code, output } of await Promise.all(ends)) {
      expect(output).to.match(/^SECRET_KEYS does not name/m);
      expect(code).to.equal(1);
    }
  });

  it('A key that moved back from the first place still opens unsubscribe links and return paths.', async () => {
    const ref = { projectId: tenant.project._id, messageId: new ObjectId() };
    const token = unsubscribeToken({ secretKeys: [OLD] }, { ...ref, groupId: null, email: 'ada@example.com' });
    const returnPath = mailLocalPart({ secretKeys: [OLD] }, 'b', ref);
    const api = start(scene.env, 'api/main.ts', `${NEW},${OLD}`);
    expect(await api.began).to.equal('ready');
    const answer = await fetch(`${api.url()}/u/${token}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    await api.stop();
    expect(answer.status).to.equal(200);
    const suppressed = await deps.db.suppressions.countDocuments({
      projectId: ref.projectId,
      email: 'ada@example.com',
    });
    expect(suppressed).to.equal(1);
    expect(readMailLocalPart({ secretKeys: [NEW, OLD] }, returnPath)?.messageId).to.deep.equal(ref.messageId);
  });

  it('Two keys of one name are refused at the start.', async () => {
    const began = await start(scene.env, 'api/main.ts', `${OLD},test:${NEW.slice(4)}`).began;
    expect(began).to.deep.equal({
      code: 1,
      output: 'SECRET_KEYS names test twice; give each key a name of its own.\n',
    });
  });
});

/** A port whose connections are closed at once, until they may pass to the target. */
async function openGate(target: URL) {
  const opened = Promise.withResolvers<void>();
  let mayPass = false;
  const server = createServer((socket) => {
    opened.resolve();
    socket.on('error', () => {});
    if (!mayPass) return socket.destroy();
    const there = connect(Number(target.port), target.hostname).on('error', () => {});
    return socket.pipe(there).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked: opened.promise,
    pass() {
      mayPass = true;
    },
    close: () => void server.close(),
  };
}
