import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startQueues } from '../../core/jobs/queue.ts';
import { storePicture } from '../../core/templates/media/media.ts';
import type { MediaFile } from '../../core/templates/media/model.ts';
import { readPicture } from '../../core/templates/media/pictures.ts';
import { mediaRemovals, startRemoval } from '../../core/templates/media/removals.ts';
import { MEDIA_BYTES_MAX, PICTURE_BYTES_MAX } from '../../schemas/templates/media.ts';
import { picture, png } from '../providers/images.ts';
import { uploadPicture } from '../support/client.ts';
import { type Environment, startEnvironment, type Tenant } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { notPictures, polyglots } from './hostile-pictures.ts';

describe('Pictures of a project', () => {
  const mediaDir = mkdtempSync(join(tmpdir(), 'everpost-media-'));
  let environment: Environment;
  let tenant: Tenant;
  before(async () => {
    environment = await startEnvironment({ MEDIA_DIR: mediaDir });
  });
  after(async () => {
    await environment.stop();
    rmSync(mediaDir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    tenant = await environment.newTenant('Pictures');
  });

  const upload = (bytes: Uint8Array, { to = tenant, name = 'logo.png' } = {}) => uploadPicture(to.client, bytes, name);
  const pathOf = (url: string) => new URL(url).pathname;
  const fileOf = (url: string) => join(mediaDir, pathOf(url).replace('/media/', ''));
  const usageOf = async ({ project } = tenant) =>
    (await environment.deps.db.mediaUsage.findOne({ _id: project._id, projectId: project._id }))?.bytes ?? 0;
  const listed = async ({ client } = tenant) => (await client.get('/v1/media')).body.data.media;
  /** As large as is asked for: PNG programs pass over chunks that they do not know. */
  const pngOf = (size: number, seed = 0) => {
    const small = png(2, 2);
    const filler = Buffer.alloc(size - small.length, seed);
    filler.writeUInt32BE(filler.length - 12, 0);
    filler.write('teSt', 4, 'latin1');
    return Buffer.concat([small.subarray(0, -12), filler, small.subarray(-12)]);
  };

  async function removeDue(): Promise<void> {
    const { deps } = environment;
    await deps.db.media.updateMany({ removeDueAt: { $exists: true } }, [{ $set: { removeDueAt: '$$NOW' } }]);
    const queues = startQueues(deps, [mediaRemovals(deps)]);
    await queues.ready;
    await until(
      () => deps.db.media.countDocuments({ removeDueAt: { $exists: true } }),
      (due) => due === 0,
    );
    await queues.stop();
  }

  it('are uploaded, listed newest first, served with the headers of a picture to everyone, and deleted', async () => {
    const [first, second] = [await upload(png(640, 480)), await upload(picture('jpg'), { name: 'photo' })];
    expect([first.status, second.status], first.text).to.deep.equal([201, 201]);
    expect(first.body.data).to.deep.include({
      width: 640,
      height: 480,
      size: png(640, 480).length,
      contentType: 'image/png',
      source: 'api',
    });
    expect(await listed()).to.deep.equal([second.body.data, first.body.data]);
    const served = await fetch(first.body.data.url);
    expect(served.status).to.equal(200);
    expect(Buffer.from(await served.arrayBuffer()).equals(png(640, 480))).to.equal(true);
    expect(Object.fromEntries(served.headers)).to.include({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect((await tenant.client.delete(`/v1/media/${first.body.data.id}`)).body).to.deep.equal({ success: true });
    expect((await fetch(first.body.data.url)).status).to.equal(404);
    expect(existsSync(fileOf(first.body.data.url))).to.equal(false);
    expect(await listed()).to.deep.equal([second.body.data]);
    expect(await usageOf()).to.equal(picture('jpg').length);
    const again = await tenant.client.delete(`/v1/media/${first.body.data.id}`);
    expect([again.status, again.body.error.code]).to.deep.equal([404, 'MEDIA_NOT_FOUND']);
  });

  it('are stored once: the same bytes are the same picture, with 200, also when they are sent together', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => upload(png(3, 3))));
    for (const { status, text } of answers) expect(status, text).to.be.oneOf([200, 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).to.equal(1);
    const repeat = await upload(png(3, 3), { name: 'other.gif' });
    expect([repeat.status, repeat.body.data.id]).to.deep.equal([200, answers[0]!.body.data.id]);
    expect([await usageOf(), (await listed()).length]).to.deep.equal([png(3, 3).length, 1]);
    const theirs = await upload(png(3, 3), { to: environment.other });
    expect(theirs.body.data.url).to.not.equal(repeat.body.data.url);
    await tenant.client.delete(`/v1/media/${repeat.body.data.id}`);
    expect((await fetch(theirs.body.data.url)).status).to.equal(200);
    const anew = await upload(png(3, 3));
    expect([anew.status, (await fetch(anew.body.data.url)).status]).to.deep.equal([201, 200]);
  });

  it('of a project that had none are all stored, however many come at once', async function () {
    this.timeout(120_000);
    for (let round = 0; round < 30; round += 1) {
      const to = await environment.newTenant(`Round ${round}`);
      const answers = await Promise.all(Array.from({ length: 4 }, (_, index) => upload(png(3, 3 + index), { to })));
      for (const { status, text } of answers) expect(status, text).to.equal(201);
    }
  });

  it('are PNG, JPEG, GIF or WebP by their bytes, whole and of a believable size: 400 names the file, and nothing is stored', async () => {
    const refused: Record<string, Buffer> = {
      ...notPictures,
      'cut off': png(2, 2).subarray(0, -13),
      'of 2.5 billion pixels': png(50_000, 50_000),
      'without a pixel': png(0, 10),
      empty: Buffer.alloc(0),
    };
    for (const [name, bytes] of Object.entries(refused)) {
      const { status, body, text } = await upload(bytes);
      expect([status, body.error.code], `${name}: ${text}`).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(body.error.details, name).to.match(/^file: /);
    }
    expect([await listed(), await usageOf()]).to.deep.equal([[], 0]);
    const noFile = new FormData();
    noFile.set('name', 'x');
    const without = await tenant.client.send('POST', '/v1/media', { body: noFile });
    expect([without.status, without.body.error.details]).to.deep.equal([400, 'file: is required']);
    const raw = await tenant.client.send('POST', '/v1/media', { body: 'x', headers: { 'Content-Type': 'image/png' } });
    expect([raw.status, raw.body.error.code]).to.deep.equal([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('that are another file as well are served as pictures alone', async () => {
    for (const bytes of polyglots(picture('gif'))) {
      const { body } = await upload(bytes, { name: 'page.html' });
      const served = await fetch(body.data.url);
      expect(body.data.url).to.match(/\.gif$/);
      expect(served.headers.get('content-type')).to.equal('image/gif');
      expect(served.headers.get('x-content-type-options')).to.equal('nosniff');
    }
  });

  it('have 5 MB at most: the last byte counts', async () => {
    const fits = await upload(pngOf(PICTURE_BYTES_MAX));
    expect([fits.status, fits.body.data?.size], fits.text).to.deep.equal([201, PICTURE_BYTES_MAX]);
    const over = await upload(pngOf(PICTURE_BYTES_MAX + 1));
    expect([over.status, over.body.error.code]).to.deep.equal([413, 'BODY_TOO_LARGE']);
    expect((await listed()).length).to.equal(1);
  });

  it('have 1 GB together, counted exactly while uploads run at the same time: then 409 MEDIA_FULL', async () => {
    const { db } = environment.deps;
    const size = 2_000;
    const { _id } = tenant.project;
    await db.mediaUsage.insertOne({ _id, projectId: _id, bytes: MEDIA_BYTES_MAX - 3 * size });
    const projectId = _id;
    const store = (seed: number) => {
      const bytes = pngOf(size, seed);
      return storePicture(environment.deps, projectId, { picture: readPicture(bytes)!, bytes, source: 'api' });
    };
    const ends = await Promise.allSettled(Array.from({ length: 12 }, (_, seed) => store(seed + 1)));
    const stored = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.media] : []));
    expect(stored.length).to.equal(3);
    expect(await usageOf()).to.equal(MEDIA_BYTES_MAX);
    const full = await upload(pngOf(size, 99));
    expect([full.status, full.body.error.code]).to.deep.equal([409, 'MEDIA_FULL']);
    expect(full.body.error.message).to.contain('1 GB');
    await tenant.client.delete(`/v1/media/${stored[0]!._id}`);
    expect((await upload(pngOf(size, 99))).status).to.equal(201);
  });

  it('that a template or a step of an automation shows cannot be deleted: 409 names it', async () => {
    const { id, url } = (await upload(png(5, 5))).body.data;
    const html = `<p><img src="${url}" alt=""></p>`;
    const template = { templateName: 'With a logo', emailTemplate: html };
    const { templateId } = (await tenant.client.post('/templates', template)).body.data;
    const byTemplate = await tenant.client.delete(`/v1/media/${id}`);
    expect([byTemplate.status, byTemplate.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
    expect(byTemplate.body.error.message).to.contain('With a logo');
    await tenant.client.delete(`/templates/${templateId}`);
    const steps = [
      { type: 'wait', delay: { value: 1, unit: 'days' } },
      { type: 'email', email: { htmlTemplate: html, subject: 'S' } },
    ];
    const automation = (await tenant.client.post('/automations', { name: 'Welcome', steps })).body.data;
    const byStep = await tenant.client.delete(`/v1/media/${id}`);
    expect(byStep.body.error.message).to.contain('the automation "Welcome"');
    const without = [steps[0], { type: 'email', email: { htmlTemplate: '<p></p>', subject: 'S' } }];
    await tenant.client.patch(`/automations/${automation.id}`, { steps: without });
    await tenant.client.patch(`/automations/${automation.id}`, { draft: true, steps });
    const byDraft = await tenant.client.delete(`/v1/media/${id}`);
    expect(byDraft.body.error.message).to.contain('the draft of the automation "Welcome"');
    await tenant.client.delete(`/automations/${automation.id}`);
    expect((await tenant.client.delete(`/v1/media/${id}`)).status).to.equal(200);
  });

  it('that is the logo of the project cannot be deleted before the project has another: 409 says so', async () => {
    const { id, url } = (await upload(png(6, 6))).body.data;
    const admin = environment.client(tenant.adminKey);
    const changeLogo = (logoUrl: string | null) => admin.patch(`/account/projects/${tenant.project._id}`, { logoUrl });
    const changed = await changeLogo(url);
    expect([changed.status, changed.body.data?.logoUrl], changed.text).to.deep.equal([200, url]);
    const refused = await tenant.client.delete(`/v1/media/${id}`);
    expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
    expect(refused.body.error.message).to.contain('the logo of the project');
    await changeLogo(null);
    expect((await tenant.client.delete(`/v1/media/${id}`)).status).to.equal(200);
  });

  it('of an upload that a crash cut off are removed by the job, with unfinished files, and free their room', async () => {
    const { deps } = environment;
    const died = { ...deps, media: { ...deps.media, save: () => new Promise<void>(() => {}) } };
    const bytes = png(7, 7);
    void storePicture(died, tenant.project._id, { picture: readPicture(bytes)!, bytes, source: 'api' });
    const storing = { projectId: tenant.project._id };
    const row = await until(
      () => deps.db.media.findOne(storing),
      (found) => found !== null,
    );
    writeFileSync(join(mediaDir, `${row!.name}.${crypto.randomUUID()}.part`), 'half');
    expect([await usageOf(), await listed()]).to.deep.equal([bytes.length, []]);
    await removeDue();
    expect([await usageOf(), readdirSync(mediaDir).filter((name) => name.startsWith(row!.name))]).to.deep.equal([
      0,
      [],
    ]);
    expect((await upload(bytes)).status).to.equal(201);
  });

  it('are uploaded again after a failure: a disk without room is 500, and nothing of it stays', async () => {
    const { deps } = environment;
    const save = deps.media.save;
    deps.media.save = async () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    const error = console.error;
    console.error = () => {};
    const failed = await upload(png(8, 8)).finally(() => {
      deps.media.save = save;
      console.error = error;
    });
    expect(failed.status).to.equal(500);
    expect([
      await usageOf(),
      await environment.deps.db.media.countDocuments({ projectId: tenant.project._id }),
    ]).to.deep.equal([0, 0]);
    expect((await upload(png(8, 8))).status).to.equal(201);
  });

  for (const [overtaken, overtake] of [
    ['has removed it', () => removeDue()],
    ['has begun to remove it', async (row: MediaFile) => void (await startRemoval(environment.deps, row))],
  ] as const)
    it(`are confirmed only while their row is there: an upload stores the picture again when the job ${overtaken}`, async () => {
      const { deps } = environment;
      const bytes = png(9, 9);
      const projectId = tenant.project._id;
      const names: string[] = [];
      const save = async (name: string, file: Uint8Array) => {
        names.push(name);
        if (names.length === 1) await overtake((await deps.db.media.findOne({ projectId }))!);
        await deps.media.save(name, file);
      };
      const slow = { ...deps, media: { ...deps.media, save } };
      const { media } = await storePicture(slow, projectId, { picture: readPicture(bytes)!, bytes, source: 'api' });
      expect([names.length, names.at(-1)]).to.deep.equal([2, media.name]);
      expect(readFileSync(join(mediaDir, media.name)).equals(bytes)).to.equal(true);
      expect([await usageOf(), (await listed()).length]).to.deep.equal([bytes.length, 1]);
      await removeDue();
      expect([await usageOf(), await deps.db.media.countDocuments({ projectId })]).to.deep.equal([bytes.length, 1]);
      expect(existsSync(join(mediaDir, names[0]!))).to.equal(false);
    });

  it('go with their project, and none is stored in it afterwards', async () => {
    const { deps, client } = environment;
    const { url } = (await upload(png(4, 4))).body.data;
    await client(tenant.adminKey).delete(`/account/projects/${tenant.project._id}`);
    await removeDue();
    expect((await fetch(url)).status).to.equal(404);
    expect(existsSync(fileOf(url))).to.equal(false);
    expect(await deps.db.media.countDocuments({ projectId: tenant.project._id })).to.equal(0);
    const bytes = png(6, 6);
    const late = await storePicture(deps, tenant.project._id, {
      picture: readPicture(bytes)!,
      bytes,
      source: 'api',
    }).catch((e) => e);
    expect(late.kind).to.equal('conflict');
    expect(await deps.db.media.countDocuments({ projectId: tenant.project._id })).to.equal(0);
  });
});
