import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Media } from '../../core/base/deps.ts';
import type { AppError } from '../../core/base/errors.ts';
import { heldElsewhere } from '../../core/base/held-bytes.ts';
import { startQueues } from '../../core/jobs/queue.ts';
import { rehostImages } from '../../core/migrations/phases/images.ts';
import { checkStore } from '../../core/templates/media/copy.ts';
import { mediaRemovals } from '../../core/templates/media/removals.ts';
import { ConfigError, readConfig } from '../../platform/config.ts';
import { openS3 } from '../../platform/media/s3.ts';
import { png } from '../providers/images.ts';
import { uploadPicture } from '../support/client.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { BUCKET, s3Keys } from '../support/stores/s3.ts';
import { type S3StandIn, startS3StandIn } from '../support/stores/s3-stand-in.ts';
import { until } from '../support/wait.ts';

describe('A store of pictures on a server of S3', () => {
  const environment = useEnvironment();
  const logged: unknown[] = [];
  let s3: S3StandIn;
  let tenant: Tenant;
  before(async () => {
    s3 = await startS3StandIn();
  });
  beforeEach(async () => {
    logged.length = 0;
    s3.requests.length = 0;
    s3.objects.clear();
    tenant = await environment.newTenant('Faults');
  });
  afterEach(() => {
    s3.fault = null;
  });
  after(() => s3.stop());

  const openWith = (given: Partial<Parameters<typeof openS3>[0]> = {}): Media =>
    openS3({
      ...{ ...s3Keys, s3Endpoint: s3.endpoint, s3PathStyle: true, bucket: BUCKET, prefix: '' },
      log: { warn: (...entry) => void logged.push(entry) },
      ...given,
    });
  const newPicture = () => {
    const bytes = randomBytes(100_000);
    return { bytes, name: `${createHash('sha256').update(bytes).digest('hex')}.png` };
  };
  const faultOf = (call: Promise<unknown>) => call.then(() => null).catch((error: AppError) => error);
  const upload = (bytes: Uint8Array) => uploadPicture(tenant.client, bytes);
  const projectId = () => tenant.project._id;
  async function removeDue(): Promise<void> {
    const { deps } = environment;
    const due = { projectId: projectId(), removeDueAt: { $exists: true } };
    await deps.db.media.updateMany(due, [{ $set: { removeDueAt: '$$NOW' } }]);
    const queues = startQueues(deps, [mediaRemovals(deps)]);
    await queues.ready;
    await until(
      () => deps.db.media.countDocuments(due),
      (left) => left === 0,
    );
    await queues.stop();
  }

  it('that is down lets calls fail with 503, and a picture is removed later that a caller deleted during it', async () => {
    const { deps } = environment;
    deps.media = openWith();
    const first = (await upload(png(5, 5))).body.data;
    s3.fault = (request) => request.destroy() !== undefined;
    const refused = await upload(png(6, 6));
    expect([refused.status, refused.body.error.code]).to.deep.equal([503, 'UNAVAILABLE']);
    expect(refused.headers.get('retry-after')).to.equal('1');
    const served = await fetch(first.url);
    expect(served.status).to.equal(503);
    expect(served.headers.get('cache-control') ?? '').to.not.contain('immutable');
    expect((await tenant.client.delete(`/v1/media/${first.id}`)).status).to.equal(200);
    expect((await tenant.client.get('/v1/media')).body.data.media).to.deep.equal([]);
    expect((await deps.db.mediaUsage.findOne({ _id: projectId(), projectId: projectId() }))?.bytes).to.equal(0);
    expect(s3.objects.size).to.equal(1);

    s3.fault = null;
    const second = await upload(png(6, 6));
    expect(second.status, second.text).to.equal(201);
    await removeDue();
    expect([...s3.objects.keys()]).to.deep.equal([second.body.data.url.split('/').at(-1)]);
    expect((await fetch(second.body.data.url)).status).to.equal(200);
  });

  it('that never answers holds no call', async () => {
    const store = openWith({ timeoutMs: 400 });
    const { bytes, name } = newPicture();
    s3.fault = () => true;
    for (const call of [() => store.save(name, bytes), () => store.read(name, heldElsewhere), () => store.remove(name)])
      expect((await faultOf(call()))?.kind).to.equal('unavailable');
  });

  it('that writes a picture after it gave no answer keeps it no longer than until the job', async () => {
    const { deps } = environment;
    deps.media = openWith();
    const names = new Set<string>();
    s3.fault = (request) => {
      if (request.method !== 'PUT') return false;
      names.add(String(request.url).split('/').at(-1)!);
      return request.destroy() !== undefined;
    };
    expect((await upload(png(7, 7))).status).to.equal(503);
    expect(names.size).to.equal(1);
    s3.fault = null;
    for (const name of names) s3.objects.set(name, png(7, 7));
    await removeDue();
    expect([s3.objects.size, await deps.db.media.countDocuments({ projectId: projectId() })]).to.deep.equal([0, 0]);
  });

  it('that is down for a moment is waited for by a migration, as long as its patience lasts', async () => {
    const deps = { ...environment.deps, log: { ...environment.deps.log, error() {} } };
    const host = deps.config.providerAImageHosts[0]!;
    const html = `<img src="https://${host}/a.png">`;
    const sources = { ...deps.sources, fetchImage: async () => png(4, 9) };
    const rehost = (patienceMs: number) =>
      rehostImages({ ...deps, sources, media: openWith() }, { projectId: projectId(), html, patienceMs });
    s3.fault = (request) => request.destroy() !== undefined;
    const { replacements, failures } = await rehost(0);
    expect([replacements.size, failures]).to.deep.equal([
      0,
      [`the picture https://${host}/a.png stays where it is: it could not be stored here`],
    ]);
    let refused = 0;
    s3.fault = (request) => {
      if (request.method !== 'PUT' || refused === 2) return false;
      refused += 1;
      return request.destroy() !== undefined;
    };
    const later = await rehost(60_000);
    expect([later.replacements.size, later.failures, s3.objects.size]).to.deep.equal([1, [], 1]);
  });

  it('is asked a second time where it failed once: a broken connection, an error of its own, too many calls', async () => {
    const store = openWith();
    const { bytes, name } = newPicture();
    for (const status of [0, 500, 429]) {
      s3.requests.length = 0;
      s3.fault = (request, response) => {
        s3.fault = null;
        if (status === 0) request.destroy();
        else response.writeHead(status).end();
        return true;
      };
      await store.save(name, bytes);
      expect(s3.requests.length, `${status}`).to.equal(2);
      expect(Buffer.from((await store.read(name, heldElsewhere))!).equals(bytes)).to.equal(true);
    }
    s3.fault = (_request, response) => response.writeHead(500).end() !== null;
    s3.requests.length = 0;
    expect((await faultOf(store.save(name, bytes)))?.kind).to.equal('unavailable');
    expect(s3.requests.length).to.equal(2);
  });

  it('has no picture when it says NoSuchKey; any other 404 is a failure', async () => {
    const store = openWith();
    const { bytes, name } = newPicture();
    const answer = (text: string) => {
      s3.fault = (_request, response) => response.writeHead(404).end(text) !== null;
    };
    answer('<Error><Code>NoSuchKey</Code></Error>');
    expect(await store.read(name, heldElsewhere)).to.equal(null);
    await store.remove(name);
    for (const text of ['<Error><Code>XAdminUserNotFound</Code></Error>', '<h1>Not Found</h1>', '']) {
      answer(text);
      for (const call of [
        () => store.read(name, heldElsewhere),
        () => store.remove(name),
        () => store.save(name, bytes),
      ])
        expect((await faultOf(call()))?.kind, text).to.equal('unavailable');
    }
  });

  it('never returns a part: an answer that is cut off is a failure', async () => {
    const store = openWith();
    const { bytes, name } = newPicture();
    await store.save(name, bytes);
    s3.fault = (_request, response) => {
      response.writeHead(200, { 'Content-Length': bytes.length });
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      return true;
    };
    expect((await faultOf(store.read(name, heldElsewhere)))?.kind).to.equal('unavailable');
  });

  it('is checked call by call, with the reason that it gives', async () => {
    const { name } = newPicture();
    const reasonOf = async (given: Parameters<typeof openWith>[0] = {}) => {
      const fault = await checkStore(openWith(given), name);
      return [fault?.step, (fault?.error as Error | undefined)?.cause];
    };
    expect(await reasonOf({ bucket: 'elsewhere' })).to.deep.equal([
      'reading an object that does not exist',
      '404 NoSuchBucket',
    ]);
    s3.fault = ({ method }, response) => method === 'PUT' && response.writeHead(403).end() !== null;
    expect(await reasonOf()).to.deep.equal(['writing an object', '403 unknown']);
    s3.fault = ({ method }, response) => method === 'DELETE' && response.writeHead(204).end() !== null;
    expect(await reasonOf()).to.deep.equal(['reading it after that', undefined]);
  });

  it('is named in the log with the fault and without key or secret, at most once in ten seconds', async () => {
    const store = openWith({ bucket: 'elsewhere' });
    for (let count = 0; count < 3; count += 1) await faultOf(store.read(newPicture().name, heldElsewhere));
    expect(logged).to.deep.equal([
      [{ method: 'GET', status: 404, code: 'NoSuchBucket' }, 'the S3 server of the pictures failed'],
    ]);
  });
});

describe('MEDIA_STORE', () => {
  const keys = { S3_ACCESS_KEY: 'AK', S3_SECRET_KEY: 'secret-of-the-key' };
  const faultOf = (env: Record<string, string>) => {
    try {
      readConfig(env);
      return null;
    } catch (error) {
      expect(error).to.be.instanceOf(ConfigError);
      return (error as Error).message;
    }
  };

  it('is folder, mongodb or a bucket with its keys', () => {
    for (const store of ['', 'folder', 'mongodb', 's3://pictures', 's3://pictures/', 's3://my.pictures-1/a/b_c'])
      expect(faultOf({ MEDIA_STORE: store, ...keys }), store).to.equal(null);
    expect(faultOf({ MEDIA_STORE: 's3://pictures', S3_ENDPOINT: 'http://127.0.0.1:9000/', ...keys })).to.equal(null);
  });

  it('is refused at the start with one sentence that says what to set', () => {
    for (const store of ['gridfs', 's3', 's3://', 's3://Pictures', 's3://pictures/../other', 's3://a/b?c', '/media'])
      expect(faultOf({ MEDIA_STORE: store, ...keys }), store).to.equal(
        `MEDIA_STORE=${store}: it must be folder, mongodb, s3://BUCKET or s3://BUCKET/PREFIX.`,
      );
    expect(faultOf({ MEDIA_STORE: 's3://pictures', S3_ACCESS_KEY: 'AK' })).to.equal(
      'MEDIA_STORE=s3://pictures: an s3:// store needs S3_ACCESS_KEY and S3_SECRET_KEY.',
    );
    for (const endpoint of ['s3.example.com', 'ftp://a', 'https://a/path', 'https://a?b=1', 'https://me:secret@a'])
      expect(faultOf({ MEDIA_STORE: 's3://pictures', S3_ENDPOINT: endpoint, ...keys }), endpoint).to.equal(
        'MEDIA_STORE=s3://pictures: S3_ENDPOINT must be http:// or https:// with a host, and without a path, query or password.',
      );
    expect(faultOf({ MEDIA_STORE: 's3://pictures', S3_REGION: 'eu/x', ...keys })).to.match(/S3_REGION must be a name/);
    expect(faultOf({ MEDIA_STORE: 's3://pictures', S3_PATH_STYLE: 'yes', ...keys })).to.match(/^S3_PATH_STYLE must be/);
  });
});
