import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { Webhook } from 'standardwebhooks';
import { webhookBody } from '../../core/events/webhook-deliveries.ts';
import { signStandard, signWebhook } from '../../core/events/webhook-signature.ts';
import { openToken, unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import { eventTypes } from '../../schemas/events/webhooks.ts';
import { refOf, sentMessage } from '../feedback/support.ts';
import { leastOf } from '../linear/cpu.ts';
import { leastHold } from '../linear/hold.ts';
import type { Environment, Tenant } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { filterInputs } from './filters.ts';
import { type FuzzOptions, type FuzzResult, fuzz } from './run.ts';
import { changed, changes, guesses } from './tokens.ts';

const KEPT = ['contacts', 'contactLists', 'webhooks', 'suppressions', 'engagements', 'projectEvents'] as const;
/** On a machine that is busy with everything else. */
const ANSWER_MS_MAX = 60_000;
const PRINTABLE = /^[\x20-\x7e]{1,256}$/;

/** Any bytes of a header's value, and keys that look like keys. */
const keys = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.string({ unit: 'grapheme-ascii', maxLength: 300 }),
  fc
    .tuple(fc.constantFrom('k', ' ', '\t', 'ü', '\u00a0', '"'), fc.nat(12_000))
    .map(([one, times]) => one.repeat(times)),
  fc.constantFrom('', ' ', '__proto__', 'a,b', '{"$gt":""}', 'k'.repeat(256), 'k'.repeat(257)),
);

/** A key is one request for one project and nothing for another; what is no key is 400 and does nothing. */
export async function fuzzIdempotencyKeys(environment: Environment, options: FuzzOptions): Promise<FuzzResult> {
  const { own, other } = environment;
  const before = await kept(environment, other);
  let number = 0;
  const result = await fuzz(
    'Idempotency-Key',
    keys,
    async (key) => {
      number += 1;
      const body = JSON.stringify({ email: `key-${number}@example.com` });
      const post = () => rawPost(environment, own, '/v1/contacts/email', `Idempotency-Key: ${key}`, body);
      const ask = () => until(post, isFinal, { ms: ANSWER_MS_MAX, everyMs: 100 });
      const { holdMs, result: first } = await leastHold(ask);
      // Text that ends the header or the head is another request, which the server refuses or reads as such.
      if (hasControls(key)) {
        expect(first.status, first.text).to.be.within(200, 431);
        return holdMs;
      }
      const isKey = PRINTABLE.test(key.replace(/^[\t ]+|[\t ]+$/g, ''));
      if (!isKey) {
        expect(first.status, first.text).to.be.oneOf([400, 431]);
        expect(await environment.deps.db.contacts.countDocuments({ email: `key-${number}@example.com` })).to.equal(0);
        return holdMs;
      }
      const again = await ask();
      if (first.status === 409) expect(first.text).to.contain('IDEMPOTENCY_KEY_REUSED');
      else expect([first.status, again.text]).to.deep.equal([200, first.text]);
      return holdMs;
    },
    options,
  );
  expect(await kept(environment, other)).to.equal(before);
  return result;
}

/** Links that were never sent: a page, a picture or a refusal, and nothing is written, whichever project they name. */
export async function fuzzLinks(environment: Environment, options: FuzzOptions): Promise<FuzzResult> {
  const { deps, own, other } = environment;
  const theirs = await sentMessage(environment, other);
  const made = [
    openToken(deps.config, refOf(theirs)),
    unsubscribeToken(deps.config, { ...refOf(theirs), groupId: null, email: theirs.email ?? '' }),
  ];
  const before = [await kept(environment, own), await kept(environment, other)];
  const tokens = fc.oneof(
    guesses.map((guess) => guess.slice(0, 9_000)),
    fc.tuple(fc.constantFrom(...made), changes).map(([token, change]) => changed(token, change)),
  );
  const result = await fuzz(
    'links',
    fc.record({
      token: tokens,
      form: fc.oneof(fc.constant('List-Unsubscribe=One-Click'), fc.string({ unit: 'binary' })),
    }),
    async ({ token, form }) => {
      const visitor = environment.client(null);
      const path = encodeURIComponent(token.toWellFormed());
      const post = {
        body: form.toWellFormed(),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      };
      const { holdMs, result: statuses } = await leastHold(async () => [
        (await visitor.get(`/t/o/${path}.gif`)).status,
        (await visitor.get(`/t/c/${path}`)).status,
        (await visitor.get(`/u/${path}`)).status,
        (await visitor.send('POST', `/u/${path}`, post)).status,
      ]);
      for (const status of statuses) expect(status).to.be.oneOf([200, 400, 404, 405, 431]);
      expect(statuses.slice(1)).to.not.include(200);
      return holdMs;
    },
    options,
  );
  expect([await kept(environment, own), await kept(environment, other)]).to.deep.equal(before);
  return result;
}

/** Segments and webhooks of any input: made or refused, and only in the caller's project. */
export async function fuzzDefinitions(environment: Environment, options: FuzzOptions): Promise<FuzzResult> {
  const { own, other } = environment;
  await other.client.post('/contacts/email', { email: 'theirs@example.com', firstName: 'Theirs' });
  const before = await kept(environment, other);
  const urls = fc.oneof(
    fc.webUrl(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('https://127.1/', 'https://[::1]/'),
  );
  const types = fc.array(fc.oneof(fc.constantFrom(...eventTypes), fc.string()), { maxLength: 4 });
  const result = await fuzz(
    'segments and webhooks',
    fc.record({ filterCriteria: filterInputs, url: urls, events: types }),
    async ({ filterCriteria, url, events }) => {
      const { holdMs, result } = await leastHold(async () => [
        await own.client.post('/contact-lists', { name: `s${new ObjectId()}`, type: 'segment', filterCriteria }),
        await own.client.post('/webhooks', { url, events }),
      ]);
      const [segment, webhook] = result;
      for (const { status, text } of [segment!, webhook!]) expect(status, text).to.be.oneOf([200, 201, 400]);
      if (webhook!.status === 201) await own.client.delete(`/webhooks/${webhook!.body.data.id}`);
      if (segment!.status < 300) {
        const { id } = segment!.body.data;
        const found = await own.client.post('/contact-lists/contacts/search', { contactListId: id, email: 'theirs' });
        expect(found.text).to.not.contain('theirs@example.com');
        await own.client.delete(`/contact-lists/${id}`);
      }
      return holdMs;
    },
    options,
  );
  expect(await kept(environment, other)).to.equal(before);
  return result;
}

/** A receiver that computes what the documentation says finds the signature right, and any other body or time wrong. */
export function fuzzSignatures(options: FuzzOptions): Promise<FuzzResult> {
  const event = fc.record({ data: fc.dictionary(fc.string(), fc.jsonValue()), at: fc.date({ noInvalidDate: true }) });
  const inputs = fc.record({ event, secret: fc.string(), stamp: fc.nat(), more: fc.integer({ min: 1, max: 1_000 }) });
  return fuzz(
    'webhook signatures',
    inputs,
    ({ event: { data, at }, secret, stamp, more }) => {
      const work = () => {
        const row = { _id: new ObjectId(), type: 'contact.created' as const, createdAt: at, data };
        const body = JSON.stringify(webhookBody(row));
        const signature = signWebhook(secret, stamp, body);
        const computed = (time: number, text: string, key = secret) =>
          `v1=${createHmac('sha256', key).update(`${time}.${text}`).digest('hex')}`;
        expect(signature)
          .to.equal(computed(stamp, body))
          .and.to.match(/^v1=[0-9a-f]{64}$/);
        const id = row._id.toHexString();
        expect(JSON.parse(body).id).to.equal(id);
        const standard = `whsec_${createHmac('sha256', secret).digest('base64')}`;
        const byLibrary = new Webhook(standard).sign(id, new Date(stamp * 1_000), body);
        expect(signStandard(standard, id, stamp, body)).to.equal(byLibrary);
        for (const wrong of [
          computed(stamp + more, body),
          computed(stamp, `${body} `),
          computed(stamp, body, `${secret}x`),
        ])
          expect(signature).to.not.equal(wrong);
      };
      return leastOf(work);
    },
    options,
  );
}

function hasControls(text: string): boolean {
  return [...text].some((letter) => (letter < ' ' && letter !== '\t') || letter === '\u007f');
}

/** A busy database is 503 and a first try that waits for it 409: both ask the caller to come again. */
function isFinal({ status, text }: { status: number; text: string }): boolean {
  return status !== 503 && !text.includes('IDEMPOTENCY_IN_PROGRESS');
}

/** Everything of the project that such a request could reach. */
async function kept({ deps }: Environment, { project }: Tenant): Promise<string> {
  const rows = KEPT.map(
    (name) => deps.db[name] as unknown as { find(filter: object): { toArray(): Promise<object[]> } },
  );
  return JSON.stringify(await Promise.all(rows.map((row) => row.find({ projectId: project._id }).toArray())));
}

/** As bytes, since clients refuse to send most of them. */
async function rawPost(
  { url }: Environment,
  { projectKey }: Tenant,
  path: string,
  header: string,
  body: string,
): Promise<{ status: number; text: string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  const head = [
    ...[`POST ${path} HTTP/1.1`, 'Host: a', 'Connection: close', `Authorization: Bearer ${projectKey}`],
    ...['Content-Type: application/json', `Content-Length: ${body.length}`, header],
  ].join('\r\n');
  let answer = '';
  socket.on('data', (piece) => {
    answer += piece.toString('latin1');
  });
  socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy());
  socket.write(`${head}\r\n\r\n${body}`, 'latin1');
  await once(socket, 'close');
  return { status: Number(answer.slice(9, 12)), text: answer.slice(answer.indexOf('\r\n\r\n') + 4) };
}
