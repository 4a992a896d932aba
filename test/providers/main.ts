import { sampleAccountA } from './account-a.ts';
import { sampleAccountB } from './account-b.ts';
import { startImageHost } from './images.ts';
import { startProviderA } from './provider-a.ts';
import { startProviderB } from './provider-b.ts';

/** Both stand-ins by hand: `node test/providers/main.ts [contacts]`. Prints what to put into the environment and the two keys. */
const contacts = Number(process.argv[2] ?? 200);
const images = await startImageHost();
const accountA = sampleAccountA(images.url, contacts);
const accountB = sampleAccountB({}, contacts);
const a = await startProviderA([accountA]);
const b = await startProviderB([accountB]);

console.log(`PROVIDER_A_URL=${a.url}`);
console.log(`PROVIDER_B_URL=${b.url}`);
console.log(`PROVIDER_A_IMAGE_HOSTS=${new URL(images.url).host}`);
console.log(`ALLOW_PRIVATE_URLS=${[images.url, a.files.url].map((url) => new URL(url).host).join(',')}`);
console.log(`key of provider A: ${accountA.key}`);
console.log(`key of provider B: ${accountB.key}`);
console.log('Ctrl-C stops them.');
