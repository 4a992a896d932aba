import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleAccountA } from '../../test/providers/account-a.ts';
import { sampleAccountB } from '../../test/providers/account-b.ts';
import { startImageHost } from '../../test/providers/images.ts';
import { startProviderA } from '../../test/providers/provider-a.ts';
import { startProviderB } from '../../test/providers/provider-b.ts';
import { anyFreePort } from '../ports.ts';

/** A whole migration from each provider, with stand-ins of both, in an installation of its own that is gone afterwards. */
const CONTACTS_A = 5_000;
const CONTACTS_B = 600;
const BAR_WIDTH = 24;

interface Phase {
  name: string;
  status: string;
  total: number;
  succeeded: number;
  failed: number;
  skipped: number;
}

interface Job {
  id: string;
  status: string;
  phases: Phase[];
  attention: string | null;
  report: Record<string, unknown>[] | null;
}

const images = await startImageHost();
const accountA = sampleAccountA(images.url, CONTACTS_A);
const accountB = sampleAccountB({}, CONTACTS_B);
const [a, b] = await Promise.all([startProviderA([accountA]), startProviderB([accountB])]);
const dataDir = mkdtempSync(join(tmpdir(), 'everpost-demo-'));
const entry = join(import.meta.dirname, '../entry.mjs');
const product = spawn(process.execPath, [entry, 'start'], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: String(await anyFreePort()),
    PROVIDER_A_URL: a.url,
    PROVIDER_B_URL: b.url,
    PROVIDER_A_IMAGE_HOSTS: new URL(images.url).host,
    ALLOW_PRIVATE_URLS: [images.url, a.files.url].map((url) => new URL(url).host).join(','),
  },
});
const over = new Promise((resolve) => product.once('exit', resolve));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => product.kill('SIGTERM'));

try {
  console.log('Starting Everpost with stand-ins of both source providers ...');
  const stack = await startedStack();
  console.log(`Temporal Web UI: ${stack.temporalUiUrl}\n`);
  const call = client(stack.apiUrl, stack.projectKey);

  console.log('Provider A: everything, with one custom field. Its export breaks off once and is made again.');
  a.files.faults.push({ on: /part-0/, act: { kind: 'cut' } });
  const mappings = [{ providerAFieldName: 'Company Name', fieldName: 'company', fieldType: 'string' }];
  const first = await call('/migrations/providerA/migrate', {
    apiKey: accountA.key,
    migrateAll: true,
    customFieldMappings: mappings,
  });
  await watch(call, first.bulkOperationId);

  console.log('\nProvider B: everything, at two requests a second. Its key is replaced in the middle.');
  const oldKey = accountB.key;
  const newKey = `${oldKey}new`;
  const replace = () => {
    accountB.key = newKey;
  };
  b.faults.push({ on: /\/contacts\?limit=100&after/, act: { kind: 'meanwhile', run: replace } });
  const second = await call('/migrations/providerB/migrate', { apiKey: oldKey, migrateAll: true });
  const printed = new Set<string>();
  const held = await watch(call, second.bulkOperationId, printed);
  if (held.status === 'needs_attention') {
    console.log('  Retrying with the new key: it goes on with the page where it stopped.');
    await call(`/migrations/${held.id}/retry`, { apiKey: newKey });
    await watch(call, held.id, printed);
  }
} finally {
  product.kill('SIGTERM');
  await over;
  await Promise.all([a.stop(), b.stop(), images.stop()]);
  rmSync(dataDir, { recursive: true, force: true });
}

async function startedStack(): Promise<{ apiUrl: string; projectKey: string; temporalUiUrl: string }> {
  const file = join(dataDir, 'stack.json');
  while (!existsSync(file)) {
    if (product.exitCode !== null) throw new Error('Everpost did not start; its message stands above.');
    await sleep(100);
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}

function client(apiUrl: string, key: string) {
  return async (path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    const response = await fetch(apiUrl + path, init);
    const answer = (await response.json()) as { data: Job & { bulkOperationId: string }; error?: { message: string } };
    if (!response.ok) throw new Error(answer.error?.message ?? `status ${response.status}`);
    return answer.data;
  };
}

/** One line a phase, redrawn while it runs. */
async function watch(call: ReturnType<typeof client>, id: string, printed = new Set<string>()): Promise<Job> {
  for (;;) {
    const job = await call(`/migrations/${id}`);
    for (const phase of job.phases) {
      if (phase.status === 'running' && process.stdout.isTTY) process.stdout.write(`\r${line(phase)}`);
      const isOver = phase.status === 'completed' || phase.status === 'skipped';
      if (!isOver || printed.has(phase.name)) continue;
      printed.add(phase.name);
      console.log(`${process.stdout.isTTY ? '\r' : ''}${line(phase)}`);
    }
    if (job.status !== 'queued' && job.status !== 'running') return finished(job);
    await sleep(150);
  }
}

function line({ name, status, total, succeeded, failed, skipped }: Phase): string {
  const done = succeeded + failed + skipped;
  const filled = status === 'completed' ? BAR_WIDTH : Math.round((BAR_WIDTH * done) / Math.max(total, done, 1));
  const bar = '#'.repeat(filled).padEnd(BAR_WIDTH, '.');
  const rest = [failed && `${failed} failed`, skipped && `${skipped} skipped`].filter(Boolean).join(', ');
  return `  ${name.padEnd(18)} [${bar}] ${String(done).padStart(6)} of ${total}  ${status}${rest && ` (${rest})`}`.padEnd(
    90,
  );
}

function finished(job: Job): Job {
  if (job.attention) console.log(`\n  needs attention: ${job.attention}`);
  else if (job.report) {
    console.table(
      job.report.map(({ details: _, needsReview, ...counts }) => ({
        ...counts,
        review: (needsReview as object[]).length,
      })),
    );
    const contacts = job.report.find(({ name }) => name === 'contacts');
    console.log(`  Suppressed before they were contacts, and memberships: ${JSON.stringify(contacts?.details)}`);
  }
  return job;
}
