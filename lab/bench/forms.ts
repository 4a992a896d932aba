import { consentVersion, findShownForm } from '../../core/forms/shown-form.ts';
import { stampOf } from '../../core/forms/tokens.ts';
import { EMAIL_INPUT, STAMP_INPUT } from '../../schemas/forms.ts';
import { createClient } from '../../test/support/client.ts';
import { openDrill } from '../rig/context.ts';
import { microsEach, quantile, usageOf } from '../rig/processes.ts';
import { figure } from '../rig/results/report.ts';
import { noRelay } from '../rig/sink.ts';
import { inLanes } from '../rig/waiting.ts';
import { inRounds, keep, rateOf, say, sizeOr } from './run.ts';

/**
 * Forms a second that one API process takes, each stored before it is answered, and by the job made a pending subscription with its mail. The
 * answer is the same for known and unknown addresses, and so is its time.
 */
const ROUNDS = 3;
/** Of each round. */
const forms = sizeOr(2_000);
const CONNECTIONS = 32;
const KNOWN = 1_000;
/** Of each kind of address in a round, one after the other. */
const ALIKE = Math.min(200, forms);

const drill = await openDrill(process.env, { relay: noRelay });
try {
  const { deps } = drill;
  const env = { RATE_LIMIT: '100000000', PUBLIC_RATE_LIMIT: '100000000', TRUSTED_PROXIES: '1' };
  const { url, child } = await drill.startApi(env);
  const root = url.replace(/\/v1$/, '');
  const client = createClient(root, drill.key);
  const list = (await client.post('/contact-lists', { name: 'News' })).body.data.id;
  const { id } = (await client.post('/forms', { name: 'Bench', listIds: [list] })).body.data;
  for (let at = 0; at < KNOWN; at += 500)
    await client.post('/contact-lists/contacts/bulk-add', {
      contactListId: list,
      emails: Array.from({ length: 500 }, (_, index) => `known${at + index}@example.com`),
    });
  const shown = await findShownForm(deps, id, {});
  if (!shown) throw new Error('The form is not shown.');
  const facts = { formId: shown.form._id, textVersion: consentVersion(shown) };
  const stamp = stampOf(deps.config, { ...facts, shownAt: new Date(Date.now() - 10_000) });
  const post = (email: string, number: number) => send(`${root}/f/${id}`, { stamp, email, number });
  say('sending forms');
  await inLanes(CONNECTIONS, ALIKE, (number) => post(`warm${number}@example.com`, number));
  const p50Of = async (emailOf: (number: number) => string) => {
    const taken: number[] = [];
    for (let number = 0; number < ALIKE; number += 1) {
      const at = performance.now();
      await post(emailOf(number), number);
      taken.push(performance.now() - at);
    }
    return quantile(taken, 0.5);
  };
  const found = await inRounds(ROUNDS, async (round) => {
    const before = usageOf(child.pid);
    const rates = await rateOf(forms, () =>
      inLanes(CONNECTIONS, forms, (number) => post(`new${round}.${number}@example.com`, number)),
    );
    const micros = microsEach(before, usageOf(child.pid), forms);
    const known = await p50Of((number) => `known${number % KNOWN}@example.com`);
    return { rates, micros, known, unknown: await p50Of((number) => `other${round}.${number}@example.com`) };
  });
  keep('forms', [
    figure(`forms at ${CONNECTIONS} connections, by one API process`, '/s', found.rates),
    figure('a form, CPU of the API process', 'us', found.micros),
    figure('a form of a known address, p50', 'ms', found.known, {
      ceiling: { name: 'of an unknown address', values: found.unknown },
    }),
    figure('handled by the job', '/s', [await jobs()]),
  ]);
} finally {
  await drill.close();
}
process.exit(0);

/** Everything that the rounds left, by one worker process. */
async function jobs(): Promise<number> {
  const { formSubmissions } = drill.deps.db;
  const left = () => formSubmissions.countDocuments({});
  say(`handling ${await left()} forms`);
  await drill.startWorker({ WORKER_LANES: 'background' });
  const [waiting, begun] = [await left(), performance.now()];
  while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  return waiting / ((performance.now() - begun) / 1_000);
}

/** Each from an address of its own, since a client may send few forms an hour. */
async function send(url: string, { stamp, email, number }: { stamp: string; email: string; number: number }) {
  const address = `10.${(process.pid + number) & 255}.${(number >> 8) & 255}.${(number + Date.now()) & 255}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'null', 'X-Forwarded-For': address },
    body: new URLSearchParams({ [STAMP_INPUT]: stamp, [EMAIL_INPUT]: email }).toString(),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`A form was answered ${response.status}.`);
}
