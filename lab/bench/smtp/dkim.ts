import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { compileMessage, composeMessage } from '../../../core/mail/compose/mime/compose.ts';
import type { DkimKey } from '../../../core/mail/ledger/relay.ts';
import { createSigner } from '../../../platform/dkim/signer.ts';
import type { Figure } from '../../rig/results/report.ts';
import { atOnce } from '../../rig/waiting.ts';
import { keep } from '../run.ts';
import { figuresOf, type Run, runOf } from './runs.ts';

/** The cost of composing and signing, in this thread and in worker threads, and of bare OpenSSL signatures in the same places. */
const BARE = Buffer.alloc(32, 7);
const imported = new Map<string, KeyObject>();
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

const SECONDS = 2;
const rounds = [0, 1, 2];
const figures: Figure[] = [];

const composing: Run[] = [];
for (const _ of rounds) composing.push(await measure((index) => Buffer.byteLength(messageAt(index))));
figures.push(...figuresOf('compose for a recipient', composing));

const cores = availableParallelism();
const inline = createSigner(0);
for (const [name, keys] of [
  ['RSA-2048', [rsa]],
  ['Ed25519', [ed25519]],
  ['RSA-2048 and Ed25519', [rsa, ed25519]],
] as const) {
  const here: Run[] = [];
  const bareHere: Run[] = [];
  for (const _ of rounds) {
    bareHere.push(await measure(() => keys.forEach(bareSignature)));
    here.push(await measure((index) => inline.signNow(messageAt(index), keys, AT)));
  }
  const bareInThread = { name: 'bare OpenSSL signatures, in this thread', runs: bareHere };
  figures.push(...figuresOf(`compose and sign with ${name}, in this thread`, here, bareInThread));
  const threads: Run[] = [];
  const bareThreads: Run[] = [];
  for (const _ of rounds) {
    bareThreads.push(await measure(() => Promise.all(keys.map(bareInPool))));
    const signer = createSigner(cores);
    await signer.sign(messageAt(0), keys, AT);
    threads.push(await measure((index) => signer.sign(messageAt(index), keys, AT)));
    await signer.close();
  }
  const bareInThreads = { name: "bare OpenSSL signatures in Node's pool of threads", runs: bareThreads };
  figures.push(...figuresOf(`compose here, sign with ${name} in ${cores} threads`, threads, bareInThreads));
}
keep('dkim', figures);
process.exit(0);

/** Nothing is made, hashed or folded but these bytes. */
function bareSignature({ privateKey }: DkimKey): void {
  const key = keyOf(privateKey);
  sign(key.asymmetricKeyType === 'rsa' ? 'sha256' : null, BARE, key);
}

function bareInPool({ privateKey }: DkimKey): Promise<void> {
  const key = keyOf(privateKey);
  return new Promise((resolve, reject) => {
    const algorithm = key.asymmetricKeyType === 'rsa' ? 'sha256' : null;
    sign(algorithm, BARE, key, (error) => (error ? reject(error) : resolve()));
  });
}

function keyOf(pem: string): KeyObject {
  const known = imported.get(pem) ?? createPrivateKey(pem);
  imported.set(pem, known);
  return known;
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
function measure(one: (index: number) => unknown): Promise<Run> {
  return runOf(async () => {
    const from = performance.now();
    let index = 0;
    const lane = async () => {
      while (performance.now() - from < SECONDS * 1_000) for (let turn = 0; turn < 8; turn++) await one(index++);
    };
    await atOnce(64, lane);
    return index;
  });
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
