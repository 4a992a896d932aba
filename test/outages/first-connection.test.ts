import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { openMongo } from '../../platform/mongo/mongo.ts';
import { anyFreePort } from '../../stack/ports.ts';
import { start } from '../accounts/processes.ts';
import { useEnvironment } from '../support/environment.ts';

describe('A process that starts before MongoDB', () => {
  const environment = useEnvironment();

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
    const server = await forward(port, hostname, Number(realPort));
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

  for (const script of ['api/main.ts', 'workers/main.ts'] as const)
    it(`ends when MongoDB comes without its unique indexes, as one that starts after it: ${script}`, async function () {
      this.timeout(120_000);
      const { deps } = environment;
      const [secretKeys, MONGODB_DATABASE] = [deps.config.secretKeys.join(','), `${deps.config.mongodbDatabase}_bare`];
      const refusal =
        /^The database lacks the unique indexes .*contacts\.email.*; make them with: npm run admin -- indexes$/m;
      const after = await endOf(start(environment, script, secretKeys, { MONGODB_DATABASE }));
      expect(after?.output).to.match(refusal);
      expect(after?.code).to.equal(1);

      const port = await anyFreePort();
      const { hostname, port: realPort } = new URL(deps.config.mongodbUrl.replace('mongodb:', 'http:'));
      const MONGODB_URL = `mongodb://127.0.0.1:${port}/?directConnection=true`;
      const before = start(environment, script, secretKeys, { MONGODB_DATABASE, MONGODB_URL });
      if (script === 'api/main.ts') expect(await before.began).to.equal('ready');
      // The first look has failed by then.
      else await sleep(5_000);
      const server = await forward(port, hostname, Number(realPort));
      const ended = await endOf(before);
      server.close();
      await deps.mongo.db(MONGODB_DATABASE).dropDatabase();
      expect(ended?.output).to.match(refusal);
      expect(ended?.code).to.equal(1);
    });
});

/** undefined: it still runs. */
async function endOf({ ended, kill }: ReturnType<typeof start>) {
  const end = await Promise.race([ended, sleep(40_000)]);
  kill();
  return end;
}

async function forward(port: number, hostname: string, realPort: number): Promise<Server> {
  const server = createServer((socket) => {
    const there = connect(realPort, hostname);
    socket.pipe(there).pipe(socket);
    for (const end of [socket, there]) end.on('error', () => {});
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
