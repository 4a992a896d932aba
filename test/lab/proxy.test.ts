import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Cable, noFaults, startProxy } from '../../lab/rig/faults/proxy.ts';
import { until } from '../support/wait.ts';

/** A drill that cannot disturb proves nothing. */
describe('The network of a drill', () => {
  let server: Server;
  let proxy: Cable;
  let arrived = '';
  before(async () => {
    server = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', (bytes) => {
          arrived += bytes;
          socket.write(bytes);
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = await startProxy((server.address() as AddressInfo).port);
  });
  beforeEach(() => {
    arrived = '';
    proxy.set(noFaults());
  });
  after(() => {
    proxy.stop();
    server.close();
  });

  /** Reads until so many bytes have arrived, the connection ends, or the time is over. */
  async function say(
    text: string,
    length = text.length,
    msMax = 20_000,
  ): Promise<{ heard: string; ms: number; isCut: boolean; socket: Socket }> {
    const began = performance.now();
    const socket = connect(proxy.port, '127.0.0.1');
    let heard = '';
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        heard += bytes;
        if (heard.length >= length) socket.emit('enough');
      });
    socket.write(text);
    const isCut = await Promise.race([
      happens(socket, 'enough').then(() => false),
      happens(socket, 'close').then(() => true),
      sleep(msMax, false, { ref: false }),
    ]);
    const ms = performance.now() - began;
    socket.destroy();
    return { heard, ms, isCut, socket };
  }

  const hasArrived = (length: number) =>
    until(
      async () => arrived.length,
      (found) => found >= length,
    );

  it('without a fault passes on everything, whole or in slices', async () => {
    const long = 'abcdefghij'.repeat(100);
    expect((await say(long)).heard).to.equal(long);
    proxy.set({ sliceBytes: 50 });
    expect((await say(long)).heard).to.equal(long);
  });

  it('takes its time each way', async () => {
    proxy.set({ latencyMs: 30 });
    const { heard, ms } = await say('late');
    expect(heard).to.equal('late');
    // Each timer may be early by a millisecond.
    expect(ms).to.be.at.least(58);
  });

  it('answers nothing when it is deaf, although everything arrives', async () => {
    proxy.set({ isDeaf: true });
    expect((await say('hello', 5, 300)).heard).to.equal('');
    await hasArrived(5);
    expect(arrived).to.equal('hello');
  });

  it('cuts off after so many bytes, after a while, and without a server', async () => {
    proxy.set({ cutAfterBytes: 600 });
    expect((await say('x'.repeat(5_000))).isCut).to.equal(true);
    await hasArrived(256);
    expect(arrived.length).to.be.within(256, 1_024);
    proxy.set({ ...noFaults(), cutAfterMs: 20 });
    expect((await say('hello', 6)).isCut).to.equal(true);
    proxy.set({ ...noFaults(), isOff: true });
    expect(await say('hello').then(({ isCut, heard }) => [isCut, heard])).to.deep.equal([true, '']);
  });

  it('cuts off who is in and lets in who comes', async () => {
    const inside = connect(proxy.port, '127.0.0.1').on('error', () => {});
    inside.write('in');
    await once(inside, 'data');
    proxy.cut();
    await happens(inside, 'close');
    expect((await say('again')).heard).to.equal('again');
  });
});

/** Unlike events.once, an error of the socket is no fault of the test. */
function happens(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve) => socket.once(event, () => resolve()));
}
