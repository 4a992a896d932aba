import { emptyAccountA, sampleAccountA, sampleContactA } from './account-a.ts';
import { emptyAccountB, sampleAccountB, sampleContactB } from './account-b.ts';
import { startImageHost } from './images.ts';
import { startProviderA } from './provider-a.ts';
import { startProviderB } from './provider-b.ts';

/**
 * Both stand-ins by hand: `node test/providers/main.ts [contacts] [bare]` prints what to put into the environment and the two
 * keys. `bare` accounts hold contacts and nothing else. A parent process gets the same as a message, and the requests to
 * provider B whenever it asks.
 */
const contacts = Number(process.argv[2] ?? 200);
const isBare = process.argv[3] === 'bare';
const images = await startImageHost();
const numbers = Array.from({ length: contacts }, (_, index) => index);
const accountA = isBare
  ? emptyAccountA({ contacts: numbers.map((index) => sampleContactA(index, [])) })
  : sampleAccountA(images.url, contacts);
const accountB = isBare
  ? emptyAccountB({ contacts: numbers.toReversed().map((index) => sampleContactB(index, [])) })
  : sampleAccountB({}, contacts);
const a = await startProviderA([accountA]);
const b = await startProviderB([accountB]);

const environment = {
  PROVIDER_A_URL: a.url,
  PROVIDER_B_URL: b.url,
  PROVIDER_A_IMAGE_HOSTS: new URL(images.url).host,
  ALLOW_PRIVATE_URLS: [images.url, a.files.url].map((url) => new URL(url).host).join(','),
};
if (process.send) {
  process.on('message', () => process.send?.({ log: b.log }));
  process.on('disconnect', () => process.exit(0));
  process.send({ environment, keyA: accountA.key, keyB: accountB.key });
} else {
  for (const [name, value] of Object.entries(environment)) console.log(`${name}=${value}`);
  console.log(`key of provider A: ${accountA.key}`);
  console.log(`key of provider B: ${accountB.key}`);
  console.log('Ctrl-C stops them.');
}
