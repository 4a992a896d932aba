import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { heldElsewhere } from '../../core/base/held-bytes.ts';
import { attachmentBytes, openUpload, readFile, storeFetched, storeFile } from '../../core/mail/messages/contents.ts';
import { receivingDomain } from '../feedback/support.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';

const CHUNK_BYTES = 255 * 1024;
const CHUNKS = 5;
/** Too large for a document. */
const BYTES = Buffer.alloc((CHUNKS - 1) * CHUNK_BYTES + 60_000, 'A file of five chunks. ');

describe('A stored file', () => {
  let environment: Environment;
  let door: Door;
  let to: string;
  before(async () => {
    environment = await startEnvironment({ DNS_SERVERS: '127.0.0.1:9' });
    door = await openDoor(environment);
    to = `support@${await receivingDomain(environment, environment.own)}`;
  });
  after(async () => {
    await door.server.close();
    await environment.stop();
  });

  function stored() {
    const { mongo, config, db } = environment.deps;
    const database = mongo.db(config.mongodbDatabase);
    return {
      files: database.collection('attachments.files'),
      chunks: database.collection<{ files_id: ObjectId; n: number }>('attachments.chunks'),
      messages: db.inboundMessages,
    };
  }
  const ofProject = () => ({ projectId: environment.own.project._id });

  function mail(): string {
    const lines = (BYTES.toString('base64').match(/.{1,76}/g) ?? []).join('\r\n');
    const head = {
      From: 'ada@sender.example.net',
      To: to,
      'Message-ID': `<${new ObjectId().toHexString()}@sender.example.net>`,
      'MIME-Version': '1.0',
      'Content-Type': 'multipart/mixed; boundary=b',
    };
    const file = `Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines}`;
    return `${Object.entries(head)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\r\n')}\r\n\r\n--b\r\n${file}\r\n--b--\r\n`;
  }

  async function bring(raw: string): Promise<void> {
    const { data } = await door.send({ from: 'ada@sender.example.net', to, raw });
    expect(data).to.match(/^250/);
  }

  /** Through the link of the only message. */
  async function download(): Promise<{ status: number; bytes: Buffer }> {
    const { client } = environment.own;
    const { items } = (await client.get('/inbound/messages')).body.data;
    expect(items).to.have.length(1);
    const { downloadUrl } = (await client.get(`/inbound/messages/${items[0].id}/attachments/0`)).body.data;
    const response = await fetch(environment.url + new URL(downloadUrl).pathname);
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  async function expectWhole(): Promise<void> {
    const { status, bytes } = await download();
    expect([status, bytes.equals(BYTES)]).to.deep.equal([200, true]);
    expect(await stored().files.countDocuments({})).to.equal(1);
    expect(await stored().chunks.countDocuments({})).to.equal(CHUNKS);
  }

  beforeEach(async () => {
    const { files, chunks, messages } = stored();
    await Promise.all([files.deleteMany({}), chunks.deleteMany({}), messages.deleteMany(ofProject())]);
  });

  for (const [left, chunksLost] of Object.entries({
    'all its chunks': { n: -1 },
    'its last chunk alone': { n: { $lt: CHUNKS - 1 } },
  }))
    it(`is whole when its mail is delivered again after a process ended with ${left} written, and no file`, async () => {
      const raw = mail();
      await bring(raw);
      const { files, chunks, messages } = stored();
      await Promise.all([files.deleteMany({}), chunks.deleteMany(chunksLost), messages.deleteMany(ofProject())]);
      await bring(raw);
      await expectWhole();
    });

  it('is whole when a process ended so in a call, which is repeated with its Idempotency-Key', async () => {
    const { deps, own } = environment;
    const attachments = [{ fileName: 'a.bin', content: BYTES.toString('base64') }];
    const from = { email: to };
    const mail = { from, to: { email: 'a@in.test' }, subject: 'Files', text: 'Files', attachments };
    const send = () => own.client.post('/mails/send', mail, { 'Idempotency-Key': 'cut off' });
    const first = await send();
    const { contents, messages, idempotency } = deps.db;
    const left = { state: 'running' as const, body: null, status: null, leaseUntil: new Date(0) };
    await Promise.all([
      stored().files.deleteMany({}),
      ...[contents.deleteMany(ofProject()), messages.deleteMany(ofProject())],
      idempotency.updateMany({ state: 'done', body: { $regex: first.body.data.emailId } }, { $set: left }),
    ]);
    expect((await send()).body.data).to.deep.equal(first.body.data);
    const content = await contents.findOne(ofProject());
    const bytes = await attachmentBytes(deps, own.project._id, content!.attachments[0]!, heldElsewhere);
    expect(bytes?.equals(BYTES)).to.equal(true);
  });

  it('is one when two deliveries of its mail store it at the same time', async () => {
    const raw = mail();
    await Promise.all([bring(raw), bring(raw)]);
    await expectWhole();
  });

  it('is one when ten workers store it at the same time', async () => {
    const { deps, own } = environment;
    const fileId = new ObjectId();
    const file = { fileId, fileName: 'a', bytes: BYTES };
    await Promise.all(Array.from({ length: 10 }, () => storeFile(deps, own.project._id, file)));
    await expectStored(fileId, BYTES);
  });

  it('is that of the last fetch when an interrupted one had other bytes', async () => {
    const { deps, own } = environment;
    const content = { _id: new ObjectId(), projectId: own.project._id, createdAt: new Date() };
    const changed = Buffer.alloc(BYTES.length, 'The same length. ');
    const former = await storeFetched(deps, content, 0, { fileName: 'a', bytes: changed });
    await stored().files.deleteOne({ _id: former });
    await expectStored(await storeFetched(deps, content, 0, { fileName: 'a', bytes: BYTES }), BYTES);
  });

  for (const sizes of [[0], [1], [CHUNK_BYTES], [CHUNK_BYTES - 1, 1, 1], [70_000, 700_000, 3 * CHUNK_BYTES]])
    it(`is whole when it arrives in pieces of ${sizes.join(', ')} bytes`, async () => {
      const { deps, own } = environment;
      const fileId = new ObjectId();
      const pieces = sizes.map((size, at) => Buffer.alloc(size, `Piece ${at}. `));
      const upload = openUpload(deps, own.project._id, { fileId, fileName: 'a' });
      for (const piece of pieces) {
        await upload.write(piece);
        expect(upload.heldBytes()).to.equal(piece.length % CHUNK_BYTES > 0 || sizes.length > 1 ? CHUNK_BYTES : 0);
      }
      await upload.end();
      await expectStored(fileId, Buffer.concat(pieces));
    });

  async function expectStored(fileId: ObjectId, bytes: Buffer): Promise<void> {
    const { deps, own } = environment;
    const read = await readFile(deps, { projectId: own.project._id, fileId }, heldElsewhere);
    expect(read?.equals(bytes)).to.equal(true);
    expect(await stored().chunks.countDocuments({ files_id: fileId })).to.equal(Math.ceil(bytes.length / CHUNK_BYTES));
  }
});
