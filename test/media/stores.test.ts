import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Media } from '../../core/base/deps.ts';
import { startQueues } from '../../core/jobs/queue.ts';
import { mediaRemovals } from '../../core/media/removals.ts';
import { openStore } from '../../platform/media/stores.ts';
import { png } from '../providers/images.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { BUCKET, type S3Server, s3Keys, startS3 } from '../support/s3.ts';
import { until } from '../support/wait.ts';

const MB = 1024 * 1024;
const nameOf = (bytes: Uint8Array) => `${createHash('sha256').update(bytes).update(randomBytes(8)).digest('hex')}.png`;

/** A real server for these tests, with the bucket `pictures` and the keys of test/support/s3.ts: http://127.0.0.1:7070, for example. */
const realEndpoint = process.env.TEST_S3_ENDPOINT;

describe('A store of pictures', () => {
  const mediaDir = mkdtempSync(join(tmpdir(), 'everpost-stores-'));
  const environment = useEnvironment({ MEDIA_DIR: mediaDir });
  let s3: S3Server;
  let tenant: Tenant;
  before(async () => {
    s3 = await startS3();
  });
  beforeEach(async () => {
    tenant = await environment.newTenant('Stores');
  });
  after(async () => {
    await s3.stop();
    rmSync(mediaDir, { recursive: true, force: true });
  });

  const openWith = (name: string, s3Endpoint = s3.endpoint): Media => {
    const { config, db, log } = environment.deps;
    return openStore(name, { config: { ...config, ...s3Keys, s3Endpoint }, db, log });
  };
  const stores: Record<string, () => Media> = {
    'in a folder': () => openWith('folder'),
    'in MongoDB': () => openWith('mongodb'),
    'in a bucket': () => openWith(`s3://${BUCKET}`),
    ...(realEndpoint ? { 'on a real server of S3': () => openWith(`s3://${BUCKET}/everpost`, realEndpoint) } : {}),
  };

  const upload = (bytes: Uint8Array) => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(bytes)]), 'logo.png');
    return tenant.client.send('POST', '/v1/media', { body: form });
  };
  async function removeDue(): Promise<void> {
    const { deps } = environment;
    const ofTenant = { projectId: tenant.project._id, removeDueAt: { $exists: true } };
    await deps.db.media.updateMany(ofTenant, [{ $set: { removeDueAt: '$$NOW' } }]);
    const queues = startQueues(deps, [mediaRemovals(deps)]);
    await queues.ready;
    await until(
      () => deps.db.media.countDocuments(ofTenant),
      (due) => due === 0,
    );
    await queues.stop();
  }

  for (const [where, open] of Object.entries(stores))
    describe(where, () => {
      it('returns what was saved, up to the largest picture, and null for any other name', async () => {
        const store = open();
        for (const size of [1, 65_537, 10 * MB]) {
          const bytes = randomBytes(size);
          const name = nameOf(bytes);
          expect(await store.read(name)).to.equal(null);
          await store.save(name, bytes);
          const read = await store.read(name);
          expect(read && Buffer.from(read).equals(bytes), `${size} bytes`).to.equal(true);
          await store.remove(name);
          expect(await store.read(name)).to.equal(null);
        }
      });

      it('takes a save or a removal again: both are harmless', async () => {
        const store = open();
        const bytes = randomBytes(2_000);
        const name = nameOf(bytes);
        await store.remove(name);
        await store.save(name, bytes);
        await store.save(name, bytes);
        expect(Buffer.from((await store.read(name))!).equals(bytes)).to.equal(true);
        await store.remove(name);
        await store.remove(name);
        expect(await store.read(name)).to.equal(null);
      });

      it('shows a picture whole or not at all while several processes save it', async () => {
        const processes = [open(), open(), open()];
        const bytes = randomBytes(2 * MB);
        const name = nameOf(bytes);
        let isOver = false;
        const reader = (async () => {
          const wrong: number[] = [];
          while (!isOver) {
            const read = await open().read(name);
            if (read && !Buffer.from(read).equals(bytes)) wrong.push(read.length);
          }
          return wrong;
        })();
        await Promise.all(processes.flatMap((store) => [store.save(name, bytes), store.save(name, bytes)]));
        isOver = true;
        expect(await reader).to.deep.equal([]);
        expect(Buffer.from((await open().read(name))!).equals(bytes)).to.equal(true);
        await processes[0]!.remove(name);
        expect(await open().read(name)).to.equal(null);
      });

      it('takes names that we make, and no path', async () => {
        const store = open();
        for (const name of ['../secret-keys', 'a.png', `${'a'.repeat(64)}.svg`, `${'a'.repeat(64)}.png/..`, '']) {
          expect(await store.read(name), name).to.equal(null);
          for (const call of [() => store.save(name, Buffer.from('x')), () => store.remove(name)])
            expect(await call().catch((error: Error) => error.message), name).to.equal('not a valid media file name');
        }
      });

      it('serves uploads with the headers of a picture, and loses them with the picture and with its project', async () => {
        const { deps, client } = environment;
        deps.media = open();
        const [kept, gone] = [await upload(png(5, 5)), await upload(png(6, 6))];
        expect([kept.status, gone.status], kept.text).to.deep.equal([201, 201]);
        const served = await fetch(gone.body.data.url);
        expect(Buffer.from(await served.arrayBuffer()).equals(png(6, 6))).to.equal(true);
        expect(Object.fromEntries(served.headers)).to.include({
          'content-type': 'image/png',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; sandbox",
          'cache-control': 'public, max-age=31536000, immutable',
        });
        expect((await tenant.client.delete(`/v1/media/${gone.body.data.id}`)).status).to.equal(200);
        expect((await fetch(gone.body.data.url)).status).to.equal(404);
        expect((await fetch(kept.body.data.url)).status).to.equal(200);
        await client(tenant.adminKey).delete(`/account/projects/${tenant.project._id}`);
        await removeDue();
        expect((await fetch(kept.body.data.url)).status).to.equal(404);
        expect(await open().read(kept.body.data.url.split('/').at(-1))).to.equal(null);
      });
    });

  it('in a bucket has its objects under the prefix, and nothing is left of pictures that were removed', async () => {
    const bytes = randomBytes(10);
    const name = nameOf(bytes);
    await openWith(`s3://${BUCKET}/eu/mail/`).save(name, bytes);
    expect([...s3.objects.keys()]).to.deep.equal([`eu/mail/${name}`]);
    await openWith(`s3://${BUCKET}/eu/mail`).remove(name);
    expect([...s3.objects.keys()]).to.deep.equal([]);
  });
});
