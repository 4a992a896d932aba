import { createServer } from 'node:net';
import { expect } from 'chai';
import { choosePort } from '../../stack/ports.ts';

describe('Ports of the embedded servers', () => {
  it('A server takes its usual port when it is free, else any other.', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => holder.once('listening', resolve));
    const { port } = holder.address() as { port: number };
    const whileTaken = await choosePort(port, 'usual');
    await new Promise((resolve) => holder.close(resolve));
    expect(whileTaken).to.not.equal(port);
    expect(await choosePort(port, 'usual')).to.equal(port);
  });
});
