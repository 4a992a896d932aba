import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { openMongo } from '../../platform/mongo/mongo.ts';
import { anyFreePort } from '../../stack/ports.ts';

describe('A process that starts before MongoDB', () => {
  it('is refused at first, and works when MongoDB is there', async function () {
    this.timeout(90_000);
    const port = await anyFreePort();
    const { hostname, port: realPort } = new URL((process.env.MONGODB_URL ?? '').replace('mongodb:', 'http:'));
    const mongodbUrl = `mongodb://127.0.0.1:${port}/?directConnection=true`;
    const { mongo } = openMongo({ mongodbUrl, mongodbDatabase: 'unused' });
    const ping = () =>
      mongo
        .db('admin')
        .command({ ping: 1 })
        .then(
          () => 'answers',
          (error: Error) => error.name,
        );
    expect(await ping()).match(/^Mongo(ServerSelection|TopologyClosed)Error$/);
    await sleep(200);
    const server = createServer((socket) => {
      const there = connect(Number(realPort), hostname);
      socket.pipe(there).pipe(socket);
      for (const end of [socket, there]) end.on('error', () => {});
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const giveUpAt = performance.now() + 60_000;
    let said = await ping();
    while (said !== 'answers' && performance.now() < giveUpAt) {
      await sleep(50);
      said = await ping();
    }
    await mongo.close();
    server.close();
    expect(said).equal('answers');
  });
});
