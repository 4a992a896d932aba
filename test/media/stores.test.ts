import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Media } from '../../core/base/deps.ts';
import type { AppError } from '../../core/base/errors.ts';
import { heldElsewhere } from '../../core/base/held-bytes.ts';
import { startQueues } from '../../core/jobs/queue.ts';
import { checkStore } from '../../core/templates/media/copy.ts';
import { mediaRemovals } from '../../core/templates/media/removals.ts';
import type { S3Settings } from '../../platform/media/store-names.ts';
import { openStore } from '../../platform/media/stores.ts';
import { png } from '../providers/images.ts';
import { uploadPicture } from '../support/client.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { BUCKET, s3Keys, startWire, useLocalhostNames, useS3 } from '../support/stores/s3.ts';
import { until } from '../support/wait.ts';

const MB = 1024 * 1024;
const nameOf = (bytes: Uint8Array) => `${createHash('sha256').update(bytes).update(randomBytes(8)).digest('hex')}.png`;

describe('A store of pictures', () => {
  const mediaDir = mkdtempSync(join(tmpdir(), 'everpost-stores-'));
  const environment = useEnvironment({ MEDIA_DIR: mediaDir });
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await environment.newTenant('Stores');
  });
  after(() => rmSync(mediaDir, { recursive: true, force: true }));

  const openWith = (name: string, settings: Partial<S3Settings> = {}): Media => {
    const { config, db, log } = environment.deps;
    return openStore(name, { config: { ...config, ...s3Keys, ...settings }, db, log });
  };

  const upload = (bytes: Uint8Array) => uploadPicture(tenant.client, bytes);
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

  const isAStore = (open: () => Media) => {
    it('returns what was saved, up to the largest picture, and null for any other name', async () => {
      const store = open();
      for (const size of [1, 65_537, 10 * MB]) {
        const bytes = randomBytes(size);
        const name = nameOf(bytes);
        expect(await store.read(name, heldElsewhere)).to.equal(null);
        await store.save(name, bytes);
        const read = await store.read(name, heldElsewhere);
        expect(read && Buffer.from(read).equals(bytes), `${size} bytes`).to.equal(true);
        await store.remove(name);
        expect(await store.read(name, heldElsewhere)).to.equal(null);
      }
    });

    it('takes a save or a removal again: both are harmless', async () => {
      const store = open();
      const bytes = randomBytes(2_000);
      const name = nameOf(bytes);
      await store.remove(name);
      await store.save(name, bytes);
      await store.save(name, bytes);
      expect(Buffer.from((await store.read(name, heldElsewhere))!).equals(bytes)).to.equal(true);
      await store.remove(name);
      await store.remove(name);
      expect(await store.read(name, heldElsewhere)).to.equal(null);
    });

    it('shows a picture whole or not at all while several processes save it', async () => {
      const processes = [open(), open(), open()];
      const bytes = randomBytes(2 * MB);
      const name = nameOf(bytes);
      let isOver = false;
      const reader = (async () => {
        const wrong: number[] = [];
        while (!isOver) {
          const read = await open().read(name, heldElsewhere);
          if (read && !Buffer.from(read).equals(bytes)) wrong.push(read.length);
        }
        return wrong;
      })();
      await Promise.all(processes.flatMap((store) => [store.save(name, bytes), store.save(name, bytes)]));
      isOver = true;
      expect(await reader).to.deep.equal([]);
      expect(Buffer.from((await open().read(name, heldElsewhere))!).equals(bytes)).to.equal(true);
      await processes[0]!.remove(name);
      expect(await open().read(name, heldElsewhere)).to.equal(null);
    });

    it('takes names that we make, and no path', async () => {
      const store = open();
      for (const name of ['../secret-keys', 'a.png', `${'a'.repeat(64)}.svg`, `${'a'.repeat(64)}.png/..`, '']) {
        expect(await store.read(name, heldElsewhere), name).to.equal(null);
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
      expect(await open().read(kept.body.data.url.split('/').at(-1), heldElsewhere)).to.equal(null);
    });
  };

  describe('in a folder', () => isAStore(() => openWith('folder')));

  describe('in MongoDB', () => isAStore(() => openWith('mongodb')));

  describe('on a server of S3', () => {
    const s3 = useS3();
    const openBucket = (path = '', settings: Partial<S3Settings> = {}) =>
      openWith(`s3://${BUCKET}${path}`, { s3Endpoint: s3.endpoint, ...settings });
    const newPicture = (bytes: Buffer = randomBytes(2_000)) => ({ bytes, name: nameOf(bytes) });
    const faultOf = (call: Promise<unknown>) =>
      call.then(() => 'no fault').catch((error: AppError) => [error.kind, error.cause]);

    describe('in a bucket', () => isAStore(openBucket));

    describe('in a bucket that is part of the host name', () => {
      useLocalhostNames();
      before(function () {
        if (s3.hostEndpoint === null) this.skip();
      });
      const openHost = () => openBucket('/host', { s3Endpoint: s3.hostEndpoint!, s3PathStyle: false });
      isAStore(openHost);

      it('has the objects that a path with the bucket leads to', async () => {
        const { bytes, name } = newPicture();
        await openHost().save(name, bytes);
        expect(Buffer.from((await openBucket('/host').read(name, heldElsewhere))!).equals(bytes)).to.equal(true);
        await openHost().remove(name);
      });
    });

    it('has its objects under the prefix, and nothing is left of pictures that were removed', async () => {
      const { bytes, name } = newPicture();
      const prefixes = { '/eu/mail/': 'eu/mail/', '//eu//mail': 'eu/mail/', '/A.b_c-/..d/e..': 'A.b_c-/..d/e../' };
      for (const [path, prefix] of Object.entries(prefixes)) {
        const store = openBucket(path);
        await store.save(name, bytes);
        expect(await s3.keys(), path).to.deep.equal([`${prefix}${name}`]);
        expect(Buffer.from((await store.read(name, heldElsewhere))!).equals(bytes), path).to.equal(true);
        await store.remove(name);
        expect(await s3.keys(), path).to.deep.equal([]);
      }
    });

    it('works call by call, and each call fails with a wrong secret, another key or in a bucket that is not there', async () => {
      const { bytes, name } = newPicture();
      expect(await checkStore(openBucket(), name)).to.equal(null);
      const faults: Array<[RegExp, Media]> = [
        [/^403 SignatureDoesNotMatch$/, openBucket('', { s3SecretKey: `${s3Keys.s3SecretKey}.` })],
        [/^403 InvalidAccessKeyId$|^404 XAdminUserNotFound$/, openBucket('', { s3AccessKey: 'AKOTHER' })],
        [/^404 NoSuchBucket$/, openWith('s3://elsewhere', { s3Endpoint: s3.endpoint })],
      ];
      for (const [expected, store] of faults)
        for (const call of [
          () => store.read(name, heldElsewhere),
          () => store.save(name, bytes),
          () => store.remove(name),
        ]) {
          const [kind, cause] = await faultOf(call());
          expect(kind, `${call}`).to.equal('unavailable');
          expect(cause, `${call}`).to.match(expected);
        }
      expect(await s3.keys()).to.deep.equal([]);
    });

    it('takes no picture that is changed on its way', async () => {
      const { bytes, name } = newPicture(Buffer.alloc(100_000, 0xff));
      let changed = 0;
      const wire = await startWire(s3.endpoint, (sent) => {
        const at = sent.indexOf(0xff);
        if (at >= 0) changed += 1;
        if (at >= 0) sent[at] = 0xfe;
        return sent;
      });
      const [kind, cause] = await faultOf(openBucket('', { s3Endpoint: wire.endpoint }).save(name, bytes));
      await wire.stop();
      expect(changed).to.be.greaterThan(0);
      expect([kind, /^400 (BadDigest|XAmzContentSHA256Mismatch)$/.test(`${cause}`)], `${cause}`).to.deep.equal([
        'unavailable',
        true,
      ]);
      expect(await openBucket().read(name, heldElsewhere)).to.equal(null);
    });

    it('keeps no part of a picture whose upload breaks off', async () => {
      const { bytes, name } = newPicture(randomBytes(10 * MB));
      let left = 6 * MB;
      const wire = await startWire(s3.endpoint, (sent) => {
        left -= sent.length;
        return left > 0 ? sent : null;
      });
      const [kind] = await faultOf(openBucket('', { s3Endpoint: wire.endpoint }).save(name, bytes));
      await wire.stop();
      expect([kind, left > 0]).to.deep.equal(['unavailable', false]);
      expect(await openBucket().read(name, heldElsewhere)).to.equal(null);
      expect(await s3.keys()).to.deep.equal([]);
    });
  });
});
