import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Media } from '../../core/base/deps.ts';
import { heldElsewhere } from '../../core/base/held-bytes.ts';
import { type Copied, copyMedia } from '../../core/templates/media/copy.ts';
import { openStore } from '../../platform/media/stores.ts';
import { settings } from '../accounts/processes.ts';
import { png } from '../providers/images.ts';
import { uploadPicture } from '../support/client.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { BUCKET, s3Keys, useS3 } from '../support/stores/s3.ts';
import { type S3StandIn, startS3StandIn } from '../support/stores/s3-stand-in.ts';

const root = join(import.meta.dirname, '../..');

describe('Pictures move to another store', () => {
  const mediaDir = mkdtempSync(join(tmpdir(), 'everpost-copy-'));
  const environment = useEnvironment({ MEDIA_DIR: mediaDir });
  let standIn: S3StandIn;
  let tenants: Tenant[];
  let folder: Media;
  before(async () => {
    standIn = await startS3StandIn();
    folder = environment.deps.media;
  });
  beforeEach(async () => {
    environment.deps.media = folder;
    standIn.objects.clear();
    await environment.deps.db.media.deleteMany({});
    tenants = await Promise.all(['One', 'Two'].map((name) => environment.newTenant(name)));
  });
  afterEach(() => {
    standIn.fault = null;
  });
  after(async () => {
    await standIn.stop();
    rmSync(mediaDir, { recursive: true, force: true });
  });

  const upload = async (tenant: Tenant, bytes: Uint8Array) => {
    const { body, text } = await uploadPicture(tenant.client, bytes);
    expect(body.data, text).to.not.equal(undefined);
    const url = body.data.url as string;
    return { id: body.data.id as string, url, name: url.split('/').at(-1) as string };
  };
  const openWith = (name: string, s3Endpoint = standIn.endpoint) => {
    const { config, db, log } = environment.deps;
    return openStore(name, { config: { ...config, ...s3Keys, s3Endpoint }, db, log });
  };
  /** One after the other, since an API process takes four uploads at a time. */
  const uploadAll = async (tenant: Tenant, pictures: Buffer[]) => {
    const uploaded: Array<Awaited<ReturnType<typeof upload>>> = [];
    for (const bytes of pictures) uploaded.push(await upload(tenant, bytes));
    return uploaded;
  };
  const lost: string[] = [];
  const copy = async (from: Media, to: Media): Promise<Copied> => {
    lost.length = 0;
    const onLost = ({ name }: { name: string }) => void lost.push(name);
    return copyMedia(environment.deps, { from, to, onProgress: () => {}, onLost });
  };
  const shows = async (url: string, bytes: Buffer) => Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes);

  describe('on a server of S3', () => {
    const s3 = useS3();

    it('while it is used: copied, switched, and copied again with what came in between', async () => {
      const { deps } = environment;
      const to = openWith(`s3://${BUCKET}/moved`, s3.endpoint);
      const [one, two] = tenants as [Tenant, Tenant];
      const before = await uploadAll(
        one,
        [1, 2, 3, 4, 5].map((width) => png(width, 1)),
      );
      const other = await upload(two, png(1, 1));
      expect(await copy(folder, to)).to.deep.equal({ copied: 6, present: 0, lost: 0 });

      const between = await upload(one, png(9, 9));
      deps.media = to;
      expect((await fetch(between.url)).status).to.equal(404);
      expect(await copy(folder, to)).to.deep.equal({ copied: 1, present: 6, lost: 0 });
      for (const [index, { url }] of before.entries()) expect(await shows(url, png(index + 1, 1))).to.equal(true);
      expect(await shows(between.url, png(9, 9))).to.equal(true);
      expect(await shows(other.url, png(1, 1))).to.equal(true);

      const { status } = await one.client.delete(`/v1/media/${before[0]!.id}`);
      expect([status, (await fetch(before[0]!.url)).status]).to.deep.equal([200, 404]);
      const kept = [...before.slice(1), other, between].map(({ name }) => `moved/${name}`);
      expect((await s3.keys()).toSorted()).to.deep.equal(kept.toSorted());
    });

    it('by commands that print the numbers, and refuse a store that does not work', async () => {
      const admin = (...words: string[]) =>
        new Promise<[number, string]>((resolve) => {
          const { s3Region, s3AccessKey, s3SecretKey } = s3Keys;
          const env = {
            ...settings(environment, ''),
            ...{ MEDIA_DIR: mediaDir, S3_ENDPOINT: s3.endpoint, S3_REGION: s3Region },
            ...{ S3_ACCESS_KEY: s3AccessKey, S3_SECRET_KEY: s3SecretKey },
          };
          execFile(process.execPath, ['cli/admin.ts', 'media', ...words], { cwd: root, env }, (error, stdout, stderr) =>
            resolve([error ? Number(error.code) : 0, (stdout + stderr).trim()]),
          );
        });
      await upload(tenants[0]!, png(8, 8));
      const gone = await upload(tenants[1]!, png(8, 9));
      unlinkSync(join(mediaDir, gone.name));
      const [copied, refused] = await Promise.all([
        admin('copy', 'folder', `s3://${BUCKET}/x`),
        admin('check', 's3://elsewhere'),
      ]);
      expect(copied[0]).to.equal(1);
      expect(copied[1]).to.contain('{"copied":1,"present":0,"lost":1}').and.to.contain(gone.name);
      expect(copied[1]).to.contain('folder has not the bytes of 1 pictures, named above.');
      expect(refused).to.deep.equal([
        1,
        's3://elsewhere does not work: reading an object that does not exist failed (404 NoSuchBucket).',
      ]);
    });
  });

  it('and a copy that was cut short, or came out wrong, is done by the next one', async () => {
    const to = openWith(`s3://${BUCKET}`);
    const files = await uploadAll(
      tenants[0]!,
      [1, 2, 3, 4, 5, 6].map((width) => png(width, 2)),
    );
    let puts = 0;
    standIn.fault = ({ method }, response) => {
      if (method === 'PUT') puts += 1;
      return puts > 2 && response.writeHead(500).end() !== null;
    };
    const fault = await copy(folder, to).catch((error) => error);
    expect(fault.kind).to.equal('unavailable');
    standIn.fault = null;
    const there = standIn.objects.size;
    expect(there).to.be.lessThan(files.length);
    const [name] = standIn.objects.keys();
    if (name) standIn.objects.set(name, Buffer.from('half'));
    const sum = await copy(folder, to);
    expect(sum.copied + sum.present).to.equal(files.length);
    for (const file of files) expect(standIn.objects.get(file.name)?.length).to.be.greaterThan(4);
  });

  it('but for those that the old store has lost, which are named; the others are copied', async () => {
    const to = openWith('mongodb');
    const [whole, gone, broken] = await uploadAll(
      tenants[0]!,
      [1, 2, 3].map((width) => png(width, 3)),
    );
    unlinkSync(join(mediaDir, gone!.name));
    writeFileSync(join(mediaDir, broken!.name), 'not the picture');
    expect(await copy(folder, to)).to.deep.equal({ copied: 1, present: 0, lost: 2 });
    expect(lost.toSorted()).to.deep.equal([gone!.name, broken!.name].toSorted());
    expect(Buffer.from((await to.read(whole!.name, heldElsewhere))!).equals(png(1, 3))).to.equal(true);
    expect(await to.read(broken!.name, heldElsewhere)).to.equal(null);
  });

  it('and none that is deleted during the copy stays in the new store', async () => {
    const to = openWith('mongodb');
    const [first, second] = await uploadAll(
      tenants[0]!,
      [1, 2].map((width) => png(width, 4)),
    );
    const remove = ({ id }: { id: string }) => tenants[0]!.client.delete(`/v1/media/${id}`);
    const read: Media['read'] = async (name) => {
      if (name === second!.name) await remove(second!);
      return folder.read(name, heldElsewhere);
    };
    const save: Media['save'] = async (name, bytes) => {
      if (name === first!.name) await remove(first!);
      await to.save(name, bytes);
    };
    expect(await copy({ ...folder, read }, { ...to, save })).to.deep.equal({ copied: 0, present: 0, lost: 0 });
    expect([await to.read(first!.name, heldElsewhere), await to.read(second!.name, heldElsewhere)]).to.deep.equal([
      null,
      null,
    ]);
  });
});
