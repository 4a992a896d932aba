import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { deleteProject, finishDeletions } from '../../core/accounts/deletion.ts';
import type { Enrollment } from '../../core/automations/model/enrollment.ts';
import type { Deps } from '../../core/base/deps.ts';
import { createImport } from '../../core/people/imports/imports.ts';
import type { ContactImport } from '../../core/people/imports/model.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import type { Contact } from '../../core/people/model.ts';
import { crashingDeps } from '../automations/enrollments/crashing-deps.ts';
import { activeAutomation, makeSending, simple } from '../automations/support.ts';
import { type Environment, startEnvironment, type Tenant } from '../support/environment.ts';

const LEASE_MS = 60_000;

describe('A deletion of a project', function () {
  this.timeout(120_000);
  let environment: Environment;
  before(async () => {
    environment = await startEnvironment();
  });
  after(() => environment.stop());

  /** With something of each room that would act. */
  async function furnished(): Promise<Tenant> {
    const tenant = await environment.newTenant('Deleted');
    const { client, project } = tenant;
    await makeSending(environment.deps, tenant);
    const done = async (path: string, body: object) => {
      const reply = await client.post(path, body);
      expect(reply.body.success, reply.text).to.equal(true);
      return reply.body.data;
    };
    await done('/webhooks', { url: 'https://hooks.example.com/', events: ['email.sent'] });
    await done('/migrations/providerB/migrate', { apiKey: 're_x', migrateAll: true });
    await activeAutomation(client, simple);
    await done('/contacts', { email: 'ada@example.org' });
    await done('/suppression-groups/emails/suppress', { emails: ['bob@example.org'], isGlobal: true });
    const inside = { projectId: project._id, automationId: new ObjectId(), contactId: new ObjectId() };
    await environment.deps.db.enrollments.insertOne({ _id: new ObjectId(), ...inside } as Enrollment);
    const from = { email: `a@${project._id}.test` };
    const at = new Date(environment.clock.now().getTime() + 3_600_000).toISOString();
    const mail = { from, subject: 'Later', html: '<p>Later</p>', to: { email: 'ada@example.org' } };
    await done('/mails/send', { ...mail, scheduledAt: at });
    await upload(tenant);
    return tenant;
  }

  const rows = Array.from({ length: 1_100 }, (_, n) => `row${n}@example.org`);
  const file = `email\n${rows.join('\n')}\n`;

  async function upload({ client }: Tenant): Promise<ObjectId> {
    const reply = await client.send('POST', '/contacts/import', {
      body: file,
      headers: { 'Content-Type': 'text/csv' },
    });
    expect(reply.status, reply.text).to.equal(202);
    return new ObjectId(reply.body.data.importId as string);
  }

  /** The things of it that still act, and the people. */
  async function left({ db }: Deps, { project }: Tenant): Promise<string[]> {
    const projectId = project._id;
    const counts = {
      keys: await db.apiKeys.countDocuments({ projectId, revokedAt: null }),
      webhooks: await db.webhooks.countDocuments({ projectId, isActive: true }),
      automations: await db.automations.countDocuments({ projectId, status: { $ne: 'archived' } }),
      mails: await db.messages.countDocuments({ projectId, state: 'scheduled' }),
      domains: await db.domains.countDocuments({ projectId }),
      contacts: await db.contacts.countDocuments({ projectId }),
      enrollments: await db.enrollments.countDocuments({ projectId }),
      suppressions: await db.suppressions.countDocuments({ projectId }),
      migrations: await db.migrations.countDocuments({ projectId, status: { $ne: 'cancelled' } }),
      imports: await db.imports.countDocuments({ projectId, status: { $in: ['queued', 'running'] } }),
      migrationKeys: await db.migrationSecrets.countDocuments({ projectId }),
    };
    return Object.entries(counts).flatMap(([name, count]) => (count > 0 ? name : []));
  }

  it('that broke off anywhere is finished a minute later by another process, or is done by a repeat', async () => {
    const { deps, clock } = environment;
    const projects = deps.db.projects;
    const ends = new Set<string>();
    for (let n = 1, crashed = true; crashed; n += 1) {
      const tenant = await furnished();
      const { _id, organizationId } = tenant.project;
      expect(await left(deps, tenant)).to.have.length(11);
      const dying = crashingDeps({ ...deps, log: { ...deps.log, error() {} } }, n, 'before');
      await deleteProject(dying.deps, organizationId, String(_id)).catch(() => {});
      crashed = dying.crashed();
      const isMarked = (await projects.findOne({ _id, organizationId }))?.deletedAt !== null;
      ends.add(!crashed ? 'whole' : isMarked ? 'marked' : 'not marked');
      if (!isMarked) await deleteProject(deps, organizationId, String(_id));
      clock.advance(LEASE_MS - 1_000);
      await finishDeletions(deps, () => true);
      const waiting = await projects.findOne({ _id, organizationId });
      expect(waiting?.removedAt, `word ${n}: the first process may still work`).to.equal(undefined);
      clock.advance(2_000);
      await finishDeletions(deps, () => true);
      expect(await left(deps, tenant), `word ${n}`).to.deep.equal([]);
      const stored = await projects.findOne({ _id, organizationId });
      expect(stored?.removedAt).to.be.instanceOf(Date);
      expect(stored).to.not.have.property('removalDueAt');
    }
    expect([...ends].toSorted()).to.deep.equal(['marked', 'not marked', 'whole']);
  });

  it('is answered with success when a later step of it fails, since the project is deleted by then', async () => {
    const { deps } = environment;
    const tenant = await furnished();
    const { _id, organizationId } = tenant.project;
    const failing: Deps = {
      ...deps,
      log: { ...deps.log, error() {} },
      db: {
        ...deps.db,
        webhooks: {
          updateMany: async () => {
            throw new Error('the database is away');
          },
        } as unknown as Deps['db']['webhooks'],
      },
    };
    await deleteProject(failing, organizationId, String(_id));
    expect(await left(deps, tenant))
      .to.include('webhooks')
      .and.not.include('keys');
    await finishDeletions(failing, () => true);
    environment.clock.advance(LEASE_MS + 1_000);
    await finishDeletions(failing, () => true);
    expect((await deps.db.projects.findOne({ _id, organizationId }))?.removedAt).to.equal(undefined);
    environment.clock.advance(LEASE_MS + 1_000);
    await finishDeletions(deps, () => true);
    expect(await left(deps, tenant)).to.deep.equal([]);
  });

  it('removes as many people as there are, in as many turns as it takes', async () => {
    const { deps } = environment;
    const { project } = await environment.newTenant('Large');
    const { _id, organizationId } = project;
    const people = Array.from({ length: 2_500 }, (_, n) => ({
      ...{ _id: new ObjectId(), projectId: _id, email: `p${n}@example.org`, contactProperties: {} },
      ...{ listIds: [], segmentIds: [], createdAt: new Date(), updatedAt: new Date() },
    }));
    await deps.db.contacts.insertMany(people as unknown as Contact[]);
    await deps.db.projects.updateOne({ _id, organizationId }, { $set: { deletedAt: environment.clock.now() } });
    const leftAfter = async (turns: number) => {
      let asked = 0;
      await finishDeletions(deps, () => {
        asked += 1;
        return asked <= turns;
      });
      return deps.db.contacts.countDocuments({ projectId: _id });
    };
    // Consents and places of the frequency cap are asked about first.
    expect(await leftAfter(4)).to.equal(1_500);
    expect(await leftAfter(9), 'until its lease ends').to.equal(1_500);
    environment.clock.advance(LEASE_MS + 1_000);
    expect(await leftAfter(99)).to.equal(0);
    expect((await deps.db.projects.findOne({ _id, organizationId }))?.removedAt).to.be.instanceOf(Date);
  });

  const slice = (deps: Deps, { project }: Tenant, importId: ObjectId) =>
    importSlice(deps, { projectId: project._id, importId }, { timeMs: 60_000 });

  it('ends its imports with the batch that is under way, and removes their files', async () => {
    const { deps, clock } = environment;
    const tenant = await furnished();
    const { _id: projectId, organizationId } = tenant.project;
    const importId = await upload(tenant);
    let batches = 0;
    const imports = new Proxy(deps.db.imports, {
      get: (target, name) => {
        const value = target[name as keyof typeof target];
        if (name !== 'findOneAndUpdate') return typeof value === 'function' ? value.bind(target) : value;
        // The transaction of the second batch has written its contacts by then.
        return async (...given: Parameters<typeof target.findOneAndUpdate>) => {
          batches += 1;
          if (batches === 2) await deleteProject(deps, organizationId, String(projectId));
          return target.findOneAndUpdate(...given);
        };
      },
    });
    const ended = await slice({ ...deps, db: { ...deps.db, imports } }, tenant, importId);
    expect(ended).to.include({ status: 'failed', rows: 500 });
    expect(await deps.db.contacts.countDocuments({ projectId })).to.equal(1 + 500);
    const queued = await deps.db.imports.findOne({ projectId, _id: { $ne: importId } });
    expect(queued).to.include({ status: 'failed', failureReason: 'The project is deleted.' });
    await slice(deps, tenant, queued!._id);
    expect(await deps.db.importChunks.countDocuments({ projectId })).to.equal(0);
    clock.advance(LEASE_MS + 1_000);
    await finishDeletions(deps, () => true);
    expect(await left(deps, tenant)).to.deep.equal([]);
    expect((await deps.db.projects.findOne({ _id: projectId, organizationId }))?.removedAt).to.be.instanceOf(Date);
  });

  it('ends an import whose upload began before it and ended after the last look', async () => {
    const { deps, clock } = environment;
    const tenant = await environment.newTenant('Uploading');
    const { _id: projectId, organizationId } = tenant.project;
    const importId = new ObjectId();
    await createImport(deps, tenant.project, importId, bytesOf(file), async () => {
      await deleteProject(deps, organizationId, String(projectId));
      clock.advance(LEASE_MS + 1_000);
      await finishDeletions(deps, () => true);
      return { format: 'csv', fileName: null };
    });
    expect(await slice(deps, tenant, importId)).to.include({ status: 'failed', rows: 0 });
    expect(await deps.db.contacts.countDocuments({ projectId })).to.equal(0);
    expect(await deps.db.importChunks.countDocuments({ projectId })).to.equal(0);
  });

  it('that broke off while an import ran is looked at once more, for what its batch had yet to write', async () => {
    const { deps, clock } = environment;
    const tenant = await environment.newTenant('Importing');
    const { _id, organizationId } = tenant.project;
    const importId = await upload(tenant);
    const running: Partial<ContactImport> = { status: 'running' };
    await deps.db.imports.updateOne({ _id: importId, projectId: _id }, { $set: running });
    await deps.db.projects.updateOne({ _id, organizationId }, { $set: { deletedAt: clock.now() } });
    const removedAt = async () => (await deps.db.projects.findOne({ _id, organizationId }))?.removedAt;
    await finishDeletions(deps, () => true);
    expect(await left(deps, tenant)).to.not.include('imports');
    expect(await removedAt()).to.equal(undefined);
    clock.advance(LEASE_MS + 1_000);
    await finishDeletions(deps, () => true);
    expect(await removedAt()).to.be.instanceOf(Date);
  });

  it('of an earlier version, which noted nothing, is looked at once', async () => {
    const { deps } = environment;
    const tenant = await furnished();
    const { _id, organizationId } = tenant.project;
    await deps.db.projects.updateOne({ _id, organizationId }, { $set: { deletedAt: environment.clock.now() } });
    await deps.db.apiKeys.updateMany({ organizationId, projectId: _id }, { $set: { revokedAt: new Date() } });
    await finishDeletions(deps, () => true);
    expect(await left(deps, tenant)).to.deep.equal([]);
    expect((await deps.db.projects.findOne({ _id, organizationId }))?.removedAt).to.be.instanceOf(Date);
  });
});

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
