import { expect } from 'chai';
import { readConfig } from '../../platform/config.ts';
import { openRedis } from '../../platform/redis/redis.ts';
import { openDoor } from '../support/door.ts';
import { until } from '../support/wait.ts';

const CHANNELS = 20;
const log = { debug() {}, info() {}, warn() {}, error() {} };

describe('The connection that listens for signals', () => {
  it('is replaced once when many subscriptions get no answer, and hears all of them again', async () => {
    const { redisUrl } = readConfig();
    const door = await openDoor(redisUrl);
    const redisBehindDoor = Object.assign(new URL(redisUrl), { port: new URL(door.url).port }).toString();
    const { signals, close } = openRedis({ redisUrl: redisBehindDoor, mongodbDatabase: 'signals-test' }, log);
    const warned: string[] = [];
    const note = (warning: Error) => warned.push(warning.message);
    process.on('warning', note);
    try {
      await until(
        async () => signals.isUp(),
        (isUp) => isUp,
      );
      door.hold();
      const heard = new Set<number>();
      for (let index = 0; index < CHANNELS; index += 1) signals.subscribe(`channel ${index}`, () => heard.add(index));
      // Longer than a command waits for its answer.
      await new Promise((resolve) => setTimeout(resolve, 500));
      door.resume();
      await until(
        async () => {
          for (let index = 0; index < CHANNELS; index += 1) signals.publish(`channel ${index}`, '');
          return heard.size;
        },
        (size) => size === CHANNELS,
      );
      expect(warned).to.deep.equal([]);
    } finally {
      process.off('warning', note);
      close();
      await door.close();
    }
  });
});
