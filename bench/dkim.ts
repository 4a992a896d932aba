import { generateKeyPairSync } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { DkimKey } from '../core/mailer.ts';
import { compileMessage, composeMessage } from '../core/mime/compose.ts';
import { createSigner } from '../platform/dkim/signer.ts';

/** What composing and signing cost, in this thread and in worker threads. */
const SECONDS = 2;
const AT = new Date();
const paragraph = '<p>Hello, this is a newsletter paragraph with some text in it to fill.</p>\n';
const skeleton = compileMessage({
  from: { email: 'news@example.test', name: 'News' },
  subject: ['Hello ', 0],
  html: [
    `<html><body><p>Hi `,
    0,
    `</p>${paragraph.repeat(50)}<a href="https://t.example.test/t/c/`,
    1,
    '">x</a></body></html>',
  ],
  text: ['Hi ', 0],
  listId: 'list.example.test',
  feedbackId: 'c:p:campaign:s',
  boundary: 'abc',
});

const rsa = makeKey('rsa');
const ed25519 = makeKey('ed25519');

await measure('compose', (index) => {
  Buffer.byteLength(messageAt(index));
});
const inline = createSigner(0);
for (const [name, keys] of [
  ['RSA-2048', [rsa]],
  ['Ed25519', [ed25519]],
  ['both', [rsa, ed25519]],
] as const) {
  await measure(`${name}, in this thread`, (index) => {
    inline.signNow(messageAt(index), keys, AT);
  });
  for (const threads of new Set([1, availableParallelism()])) {
    const signer = createSigner(threads);
    await signer.sign(messageAt(0), keys, AT);
    await measure(`${name}, ${threads} threads`, (index) => signer.sign(messageAt(index), keys, AT));
    await signer.close();
  }
}

function messageAt(index: number): string {
  return composeMessage(skeleton, {
    to: [{ email: `u${index}@example.test`, name: `User ${index}` }],
    messageId: `${index}@example.test`,
    date: AT,
    unsubscribe: { url: `https://t.example.test/u/${index}` },
    values: [`User ${index}`, `64f0c0ffee64f0c0ffee64f0.${index}.AbCdEfGhIjKlMnOpQrStUv`],
  });
}

/** 64 at a time, as a sender with 64 connections would ask. */
async function measure(name: string, one: (index: number) => unknown): Promise<void> {
  const cpu = process.cpuUsage();
  const from = performance.now();
  let index = 0;
  const lane = async () => {
    while (performance.now() - from < SECONDS * 1_000) for (let turn = 0; turn < 8; turn++) await one(index++);
  };
  await Promise.all(Array.from({ length: 64 }, lane));
  const seconds = (performance.now() - from) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${name}: ${Math.round(index / seconds)} a second, ${Math.round((user + system) / index)} us of CPU each, all threads`,
  );
}

function makeKey(type: 'rsa' | 'ed25519'): DkimKey {
  const { privateKey } =
    type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2_048 }) : generateKeyPairSync('ed25519');
  return {
    domain: 'example.test',
    selector: type,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
