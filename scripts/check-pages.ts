import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import { unsubscribeToken } from '../core/composing/tokens.ts';
import { newLifetime, stopOnSignals } from '../stack/lifetime.ts';
import { StackError, say } from '../stack/output.ts';
import { startServers } from '../stack/servers/all.ts';
import { findChromium, openBrowser } from '../test/support/browser.ts';
import { startEnvironment } from '../test/support/environment.ts';

/**
 * `npm run check:pages`: the unsubscribe page as a person has it, in headless Chromium with JavaScript off, on private servers. The suite
 * holds the same page to its HTML without a browser; this needs a Chromium, and says so when there is none.
 */
async function main(): Promise<void> {
  const chromium = findChromium();
  if (!chromium)
    throw new StackError(
      'There is no chromium on the PATH. Install it (Debian: apt-get install chromium), or name one in CHROMIUM.',
    );
  const lifetime = newLifetime();
  stopOnSignals(lifetime, 130);
  const folder = mkdtempSync(join(tmpdir(), 'everpost-check-pages-'));
  const kinds = ['mongodb', 'redis', 'temporal'] as const;
  const servers = await startServers({ dataDir: folder, kinds, say, onStarted: (server) => lifetime.add(server) });
  const environment = await startEnvironment({ ...servers.environment, DATA_DIR: folder });
  lifetime.add({ stop: () => environment.stop() });
  const pictures = mkdtempSync(join(tmpdir(), 'everpost-pages-'));
  try {
    await walk(environment, chromium, pictures);
    say(`The unsubscribe page holds, with JavaScript off. Pictures: ${pictures}`);
  } finally {
    await lifetime.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Looking changes nothing, the button unsubscribes, the other one takes it back. */
async function walk(
  { deps, own, url }: Awaited<ReturnType<typeof startEnvironment>>,
  chromium: string,
  pictures: string,
): Promise<void> {
  const projectId = own.project._id;
  const email = 'ada.example@reader.example.net';
  const groupId = (await own.client.post('/suppression-groups', { name: 'Weekly <tips> & more' })).body.data.groupId;
  const token = unsubscribeToken(deps.config, { projectId, messageId: new ObjectId(), groupId, email });
  const isStopped = async () => (await deps.db.suppressions.countDocuments({ projectId, email, groupId })) === 1;
  const browser = await openBrowser(chromium);
  const hold = async (what: string, heading: string, stopped: boolean) => {
    writeFileSync(join(pictures, `${what}.png`), await browser.screenshot());
    const [title, text] = [await browser.read('h1'), (await browser.read('main')) ?? ''];
    if (title !== heading) throw new StackError(`${what}: the heading is "${title}", not "${heading}".`);
    for (const part of ['Weekly <tips> & more', own.project.name, 'ad•••@reader.example.net'])
      if (!text.includes(part)) throw new StackError(`${what}: the page does not say "${part}": ${text}`);
    if ((await isStopped()) !== stopped)
      throw new StackError(`${what}: the entry is ${stopped ? 'missing' : 'there'}.`);
    say(`${what}: ${text}`);
  };
  try {
    await browser.open(`${url}/u/${token}`);
    await hold('1-looked-at', 'Unsubscribe?', false);
    await browser.press('button', 'mouse');
    await hold('2-unsubscribed', 'You are unsubscribed', true);
    await browser.press('button', 'Enter');
    await hold('3-taken-back', 'You are subscribed again', false);
  } finally {
    await browser.close();
  }
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error instanceof StackError ? error.message : error);
    process.exit(1);
  },
);
