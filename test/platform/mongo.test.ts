import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { startProxy } from '../../lab/rig/faults/proxy.ts';
import { readConfig } from '../../platform/config.ts';
import { openMongo } from '../../platform/mongo/mongo.ts';
import { until } from '../support/wait.ts';

const PATIENCE_MS = 60_000;

describe('A connection to MongoDB', () => {
  const sockets = new Set<Socket>();
  const collect = (message: unknown) => void sockets.add((message as { socket: Socket }).socket);
  let opened: ReturnType<typeof openMongo>;
  before(async () => {
    subscribe('net.client.socket', collect);
    opened = openMongo({ ...readConfig(), mongodbDatabase: `test_${new ObjectId().toHexString()}` });
    await opened.db.upkeep.findOne();
    unsubscribe('net.client.socket', collect);
  });
  after(() => opened.mongo.close());

  it('that ends as an operation begins ends the operation too, and the next one gets another connection', async () => {
    // As when the server is killed: the driver is informed at the end of the same turn of the event loop.
    for (const socket of sockets) socket.destroy();
    const ended = opened.db.upkeep.findOne().then(
      () => 'ended',
      () => 'ended',
    );
    expect(await Promise.race([ended, sleep(PATIENCE_MS, 'still waits')])).equal('ended');
    const isThere = () =>
      opened.db.upkeep.findOne().then(
        () => true,
        () => false,
      );
    await until(isThere, (is) => is);
  });

  it('is one of many that open at once when there is a burst, so that none waits for two at a time', async () => {
    const { mongodbUrl, ...config } = readConfig();
    const server = new URL(mongodbUrl);
    const cable = await startProxy(Number(server.port));
    server.port = String(cable.port);
    server.searchParams.delete('replicaSet');
    server.searchParams.set('directConnection', 'true');
    const burst = openMongo({ ...config, mongodbUrl: String(server) });
    let opening = 0;
    burst.mongo.on('connectionCreated', () => {
      opening += 1;
    });
    await burst.db.upkeep.findOne();
    cable.set({ isDeaf: true });
    const finds = Array.from({ length: 40 }, () => burst.db.upkeep.findOne().catch(() => null));
    await until(
      async () => opening,
      (many) => many > 20,
    );
    cable.stop();
    await burst.mongo.close();
    await Promise.all(finds);
  });
});
