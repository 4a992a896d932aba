import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { ANSWER_BYTES_MAX, answerBytes } from '../../core/base/limits/answer-bytes.ts';
import { storeFile } from '../../core/mail/messages/contents.ts';
import { receivingDomain } from '../feedback/support.ts';
import { png } from '../providers/images.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { openDoor } from '../support/mail/inbound-door.ts';
import { until } from '../support/wait.ts';

const FILE_BYTES = 24_000_000;
/** Much longer than a call waits for room, so that it ends nothing in a test about that room. */
const STALLED_MS = 12_000;
const BEGIN = 'HTTP/1.1 200';
const CLIENT = '127.0.0.1';
/** Of a client: its third of the budget, in pieces of 2 MB. */
const DOWNLOADS_MAX = 8;

describe('Stored files that are read for answers', function () {
  this.timeout(120_000);
  let environment: Environment;
  let attachmentUrl: string;
  let paths: Record<string, string>;
  let sockets: Socket[] = [];
  before(async () => {
    environment = await startEnvironment(
      { DNS_SERVERS: '127.0.0.1:9', TRUSTED_PROXIES: '1' },
      { stalledMs: STALLED_MS },
    );
    const { deps, own } = environment;
    const messageId = await receiveMail();
    const shown = await own.client.get(`/inbound/messages/${messageId}/attachments/0`);
    attachmentUrl = shown.body.data.downloadUrl;
    const preview = await own.client.get(`/inbound/messages/${messageId}/preview`);
    const form = new FormData();
    form.set('file', new Blob([png(9, 9)]), 'logo.png');
    const picture = await fetch(`${environment.url}/v1/media`, {
      ...{ method: 'POST', body: form },
      headers: { Authorization: `Bearer ${own.projectKey}` },
    }).then((response) => response.json() as Promise<{ data: { url: string } }>);
    const pictureUrl: string = picture.data.url;
    paths = {
      'an attachment of a mail that came in': attachmentUrl,
      'the pictures of a preview': preview.body.data.previewUrl,
      'a picture': pictureUrl,
      'an export': `${environment.url}/v1/contacts/export`,
    };
    // A large attachment in place of the small one, which no mail server would bring so fast.
    const large = new ObjectId();
    await storeFile(deps, own.project._id, {
      fileId: large,
      fileName: 'large.bin',
      bytes: Buffer.alloc(FILE_BYTES, 7),
    });
    await deps.db.inboundMessages.updateOne(
      { _id: new ObjectId(messageId), projectId: own.project._id },
      { $set: { 'attachments.1.fileId': large, 'attachments.1.sizeBytes': FILE_BYTES } },
    );
    const again = await own.client.get(`/inbound/messages/${messageId}/attachments/1`);
    attachmentUrl = again.body.data.downloadUrl;
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const held of holdings.splice(0)) held.release();
  });
  after(() => environment.stop());

  async function receiveMail(): Promise<string> {
    const door = await openDoor(environment);
    const domainName = await receivingDomain(environment, environment.own);
    const part = (type: string, body: string, more = '') => `--b\r\nContent-Type: ${type}\r\n${more}\r\n${body}\r\n`;
    const picture = Buffer.from(png(3, 3)).toString('base64');
    const inline = 'Content-ID: <logo>\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: inline\r\n';
    const raw = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${part('text/html', '<img src="cid:logo">')}${part('image/png', picture, inline)}${part('text/plain', 'x', 'Content-Disposition: attachment; filename=x.txt\r\n')}--b--`;
    expect((await door.send({ from: 'a@b.example', to: `a@${domainName}`, raw })).data).to.match(/^250/);
    await door.server.close();
    return (await environment.own.client.get('/inbound/messages')).body.data.items[0].id;
  }

  const get = (url: string, client = CLIENT) =>
    fetch(url, { headers: { 'X-Forwarded-For': client, Authorization: `Bearer ${environment.own.projectKey}` } });

  /** Asks, and reads nothing of the file. Repeated while bytes of earlier readers are not given back yet. */
  async function stall(): Promise<Socket> {
    return until(askUnread, (socket) => !socket.destroyed, { ms: 60_000 });
  }

  async function askUnread(): Promise<Socket> {
    const { hostname, port, pathname } = new URL(attachmentUrl);
    const socket = connect({ port: Number(port), host: hostname });
    sockets = [...sockets, socket];
    socket.on('error', () => {});
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Forwarded-For: ${CLIENT}\r\n\r\n`);
    await new Promise((resolve) => socket.once('readable', resolve));
    const begin = socket.read(BEGIN.length) as Buffer | null;
    if (begin?.toString() !== BEGIN) socket.destroy();
    return socket;
  }

  const holdings: Array<{ release(): void }> = [];
  async function holdAll() {
    const all = answerBytes(environment.deps, 'another');
    holdings.push(all);
    await all.take(ANSWER_BYTES_MAX);
    return all;
  }

  it('wait for their bytes, and are 503 with Retry-After when none are free: each door, before a byte is read', async () => {
    for (const [name, url] of Object.entries(paths)) {
      const all = await holdAll();
      const refused = await get(url);
      expect([refused.status, refused.headers.get('retry-after')], name).to.deep.equal([503, '5']);
      expect(await refused.json()).to.deep.include({
        error: {
          message: 'Too many large files are being read; repeat the request in a few seconds.',
          code: 'UNAVAILABLE',
        },
      });
      const waiting = get(url);
      all.release();
      const taken = await waiting;
      expect(taken.status, name).to.equal(200);
      expect((await taken.arrayBuffer()).byteLength, name).to.be.above(0);
    }
  });

  it('come whole, with their length, to a reader that takes them', async () => {
    const response = await get(attachmentUrl);
    expect(response.headers.get('content-length')).to.equal(String(FILE_BYTES));
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.alloc(FILE_BYTES, 7))).to.equal(true);
  });

  it('leave room for others while one client reads nothing, and have it back when that client leaves', async () => {
    await Promise.all(Array.from({ length: DOWNLOADS_MAX }, stall));
    const [same, other] = await Promise.all([get(attachmentUrl), get(attachmentUrl, '192.0.2.9')]);
    expect([same.status, other.status]).to.deep.equal([503, 200]);
    await Promise.all([same.arrayBuffer(), other.arrayBuffer()]);
    for (const socket of sockets.splice(0)) socket.destroy();
    const again = await get(attachmentUrl);
    expect(again.status).to.equal(200);
    await again.arrayBuffer();
  });

  it('are cut off from a client that takes nothing, and their bytes are free again', async () => {
    const stalled = await Promise.all(Array.from({ length: DOWNLOADS_MAX }, stall));
    // All of them: one that is not cut off yet would take the rest of its file below.
    const takeAll = () =>
      holdAll().then(
        () => true,
        () => false,
      );
    expect(await until(takeAll, Boolean, { ms: 60_000 })).to.equal(true);
    for (const held of holdings.splice(0)) held.release();
    const answer = await get(attachmentUrl);
    await answer.arrayBuffer();
    expect(answer.status).to.equal(200);
    const received = await Promise.all(stalled.map(bytesOf));
    for (const bytes of received) expect(bytes).to.be.below(FILE_BYTES);
  });

  it('come whole to a client that takes them slowly', async () => {
    const socket = await stall();
    let bytes = BEGIN.length;
    while (bytes < FILE_BYTES) {
      const piece = socket.read() as Buffer | null;
      bytes += piece?.length ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 35));
      if (socket.destroyed && !piece) break;
    }
    expect(bytes).to.be.at.least(FILE_BYTES);
  });
});

/** Everything that still comes. */
function bytesOf(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    let bytes = 0;
    socket.on('data', (piece) => {
      bytes += piece.length;
    });
    socket.once('close', () => resolve(bytes));
    socket.resume();
  });
}
