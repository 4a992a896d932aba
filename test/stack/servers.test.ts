import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { type Servers, startServers } from '../../stack/servers/all.ts';
import { temporaryFolder } from './temporary.ts';

describe('The embedded servers', () => {
  const folder = temporaryFolder();
  let servers: Servers | undefined;
  afterEach(() => servers?.stop());

  it('A server that dies is started again on its port, with a line that says so.', async () => {
    const lines: string[] = [];
    const say = (line: string) => void lines.push(line);
    servers = await startServers({ dataDir: folder(), kinds: ['redis'], restart: true, say });
    const first = servers.redis?.pid();
    await servers.redis?.kill('SIGKILL');
    while (!lines.some((line) => line.startsWith('redis is back'))) await new Promise((tick) => setTimeout(tick, 20));
    expect(lines).to.include('redis ended (signal 9); starting it again.');
    expect(servers.redis?.pid()).to.be.a('number').and.not.equal(first);
  });

  it('MongoDB keeps its data when its port is taken at the next start.', async () => {
    const dataDir = folder();
    servers = await startServers({ dataDir, kinds: ['mongodb'] });
    const { port = 0, url = '' } = servers.mongodb ?? {};
    await withClient(url, (client) => client.db('kept').collection('notes').insertOne({ text: 'here' }));
    await servers.stop();
    const holder = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
    await once(holder, 'listening');
    try {
      servers = await startServers({ dataDir, kinds: ['mongodb'] });
      expect(servers.mongodb?.port).to.not.equal(port);
      const note = await withClient(servers.mongodb?.url ?? '', (client) =>
        client.db('kept').collection('notes').findOne(),
      );
      expect(note?.text).to.equal('here');
    } finally {
      holder.close();
    }
  });

  it('For those who kill on purpose: what is killed stays down until it is started.', async () => {
    servers = await startServers({ dataDir: folder(), kinds: ['redis'] });
    await servers.redis?.kill('SIGSTOP');
    await servers.redis?.kill('SIGKILL');
    await new Promise((tick) => setTimeout(tick, 500));
    expect(servers.redis?.pid()).to.equal(null);
    await servers.redis?.start();
    expect(servers.redis?.pid()).to.be.a('number');
  });
});

async function withClient<T>(url: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 30_000 });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
