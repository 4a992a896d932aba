import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { Blocks } from '../../core/base/held-bytes.ts';

const MB = 1_000_000;
const MAIL = 'From: <ada@example.com>\\r\\nSubject: Hello\\r\\nDKIM-Signature: v=1; l=1\\r\\n\\r\\nHello\\r\\n';
const ENVELOPE = { mailFrom: 'ada@example.com', remoteAddress: '127.0.0.1', helo: 'mail.example.com' };

describe('Memory of a mail that arrives', () => {
  it('is that of one mail when its blocks are joined', () => {
    const blocks = new Blocks();
    const piece = Buffer.alloc(65_537, 'piece ');
    const pieces = Array.from({ length: 400 }, () => piece);
    for (const one of pieces) blocks.add(one);
    const before = process.memoryUsage().arrayBuffers;
    const whole = blocks.take();
    expect(process.memoryUsage().arrayBuffers - before).to.be.below(4 * MB);
    expect(whole.equals(Buffer.concat(pieces))).to.equal(true);
    expect(blocks.heldBytes()).to.equal(0);
    blocks.add(Buffer.from('next'));
    expect(blocks.take().toString()).to.equal('next');
  });

  for (const [name, module, more, settings] of [
    ['parsed', 'parse-worker', { mailFrom: ENVELOPE.mailFrom }, null],
    ['verified', 'verify-worker', { envelope: ENVELOPE }, { servers: ['127.0.0.1:9'], mta: 'mx.example.com' }],
  ] as const)
    it(`is free in its thread when it is ${name}`, async () => {
      const url = new URL(`../../platform/inbound/${module}.ts`, import.meta.url).href;
      const script = `
        import { parentPort } from 'node:worker_threads';
        import { work } from '${url}';
        const bytes = new TextEncoder().encode('${MAIL}');
        const output = await work({ bytes, ...${JSON.stringify(more)} }, ${JSON.stringify(settings)});
        parentPort.postMessage({ isDone: output !== null, left: bytes.length });`;
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
      const told = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      expect(told).to.deep.equal({ isDone: true, left: 0 });
      await worker.terminate();
    });
});
