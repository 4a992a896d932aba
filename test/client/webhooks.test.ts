import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import {
  type VerifyOptions,
  verify,
  type WebhookHeaders,
  type WebhookVerificationCode,
  WebhookVerificationError,
} from '../../client/webhooks.ts';

interface Delivery {
  body: unknown;
  headers: WebhookHeaders;
  secret: unknown;
  options?: VerifyOptions;
}

const KEY = randomBytes(32);
const SECRET = `whsec_${KEY.toString('base64')}`;
const ID = '6922c5d0f1c2a90b7d3e4f51';
const EVENT = { id: ID, type: 'contact.created', createdAt: '2026-11-23T01:24:48.000Z', data: { firstName: 'Zoë' } };
const BODY = JSON.stringify(EVENT);
const now = () => Math.floor(Date.now() / 1000);

/** Independent of both sides of the product. */
function hmac(text: string | Buffer, { key = KEY as string | Buffer, algorithm = 'sha256' } = {}): Buffer {
  return createHmac(algorithm, key).update(text).digest();
}

function genuine(body: string | Buffer = BODY, timestamp: number | string = now(), id = ID) {
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
  const signature = `v1,${hmac(signed).toString('base64')}`;
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
  return { body, headers, secret: SECRET };
}

/** A genuine delivery whose signature has this form. */
function deliveryWith(isIt: (signature: string) => boolean) {
  const deliveries = Array.from({ length: 2_000 }, (_, number) => genuine(BODY, now(), `event-${number}`));
  return deliveries.find(({ headers }) => isIt(headers['webhook-signature']))!;
}

/** A genuine delivery with other headers; undefined takes one away. */
function withHeaders(change: (headers: Record<string, string>) => WebhookHeaders): Delivery {
  const delivery = genuine();
  return { ...delivery, headers: change(delivery.headers) };
}

const withHeader = (name: string, value: (genuine: string) => string | string[] | undefined) =>
  withHeaders((headers) => ({ ...headers, [name]: value(headers[name]!) }));
const withSignature = (value: (genuine: string) => string | string[] | undefined) =>
  withHeader('webhook-signature', value);
const withTimestamp = (timestamp: string) => genuine(BODY, timestamp);
const withSecret = (secret: unknown): Delivery => ({ ...genuine(), secret });
const check = ({ body, headers, secret, options }: Delivery) =>
  verify(body as string, headers, secret as string, options);
const base64Of = (signature: string) => signature.slice('v1,'.length);

const hostile: Record<WebhookVerificationCode, Record<string, () => Delivery>> = {
  INVALID_SIGNATURE: {
    'with one changed byte in its body': () => ({ ...genuine(), body: BODY.replace('Zo', 'Za') }),
    'that is truncated': () => ({ ...genuine(), body: BODY.slice(0, -1) }),
    'without its body': () => ({ ...genuine(), body: '' }),
    'with a space behind its body': () => ({ ...genuine(), body: `${BODY} ` }),
    'with a BOM before its body': () => ({ ...genuine(), body: `\ufeff${BODY}` }),
    'that was parsed and written again': () => ({ ...genuine(), body: JSON.stringify(EVENT, null, 1) }),
    'with letters in another Unicode form': () => ({ ...genuine(), body: BODY.normalize('NFD') }),
    'whose body of 16 MB is not the one signed': () => ({ ...genuine(), body: Buffer.alloc(16 * 1_048_576, 'x') }),
    'with the id of another event': () => withHeader('webhook-id', () => '6922c5d0f1c2a90b7d3e4f52'),
    'with the signature of another event': () => ({
      ...genuine(),
      headers: { ...genuine().headers, 'webhook-signature': genuine('{}').headers['webhook-signature'] },
    }),
    'that was recorded, with a fresh timestamp': () => ({
      ...genuine(BODY, now() - 3_600),
      headers: { ...genuine(BODY, now() - 3_600).headers, 'webhook-timestamp': String(now()) },
    }),
    'with a signature of version v1a alone': () => withSignature((one) => one.replace('v1,', 'v1a,')),
    'with a signature of version v2 alone': () => withSignature((one) => one.replace('v1,', 'v2,')),
    'with an empty signature': () => withSignature(() => 'v1,'),
    'with a version alone': () => withSignature(() => 'v1'),
    'with a signature without a version': () => withSignature(base64Of),
    'with a space inside its signature': () => withSignature((one) => one.replace(',', ', ')),
    'with a tab before its signature': () => withSignature((one) => `\t${one}`),
    'with a line end behind its signature': () => withSignature((one) => `${one}\n`),
    'with a truncated signature': () => withSignature((one) => one.slice(0, -5)),
    'with a signature without padding': () => withSignature((one) => one.replace('=', '')),
    'with a signature in base64url': () => {
      const delivery = deliveryWith((signature) => /[+/]/.test(signature));
      const signature = delivery.headers['webhook-signature'].replaceAll('+', '-').replaceAll('/', '_');
      return { ...delivery, headers: { ...delivery.headers, 'webhook-signature': signature } };
    },
    'with unused bits set in its signature': () => {
      const delivery = deliveryWith((signature) => signature.endsWith('A='));
      const signature = delivery.headers['webhook-signature'].replace(/A=$/, 'B=');
      return { ...delivery, headers: { ...delivery.headers, 'webhook-signature': signature } };
    },
    'with a signature in hexadecimal': () =>
      withSignature((one) => `v1,${Buffer.from(base64Of(one), 'base64').toString('hex')}`),
    'with a signature of zeros': () => withSignature(() => `v1,${'A'.repeat(43)}=`),
    'with a signature of SHA-512': () => {
      const { headers } = genuine();
      const text = `${ID}.${headers['webhook-timestamp']}.${BODY}`;
      return withSignature(() => `v1,${hmac(text, { algorithm: 'sha512' }).toString('base64')}`);
    },
    'that signs its body alone': () => withSignature(() => `v1,${hmac(BODY).toString('base64')}`),
    'that is signed with the text of the secret': () => {
      const { headers } = genuine();
      const text = `${ID}.${headers['webhook-timestamp']}.${BODY}`;
      return withSignature(() => `v1,${hmac(text, { key: SECRET }).toString('base64')}`);
    },
    'with the signature of X-Webhook-Signature': () =>
      withSignature(() => `v1=${hmac(`${now()}.${BODY}`, { key: SECRET }).toString('hex')}`),
    'for another webhook': () => withSecret(`whsec_${randomBytes(32).toString('base64')}`),
    'signed with none of several secrets': () =>
      withSecret([1, 2, 3].map(() => `whsec_${randomBytes(32).toString('base64')}`)),
  },
  MISSING_HEADER: {
    'without an id': () => withHeader('webhook-id', () => undefined),
    'without a timestamp': () => withHeader('webhook-timestamp', () => undefined),
    'without a signature': () => withSignature(() => undefined),
    'with an empty list of signatures': () => withSignature(() => []),
    'with an empty signature header': () => withSignature(() => ''),
    'without any headers': () => ({ ...genuine(), headers: {} }),
    'with nothing for headers': () => ({ ...genuine(), headers: undefined as unknown as WebhookHeaders }),
    'whose headers are those of a prototype': () => withHeaders((headers) => Object.create(headers)),
    'whose headers are under __proto__': () =>
      withHeaders((headers) => JSON.parse(JSON.stringify({ x: headers }).replace('"x"', '"__proto__"'))),
  },
  INVALID_HEADER: {
    'with two signature headers': () => withSignature((one) => [one, one]),
    'with a header in two cases': () =>
      withHeaders((headers) => ({ ...headers, 'Webhook-Timestamp': headers['webhook-timestamp']! })),
    'with two ids that fetch joined': () =>
      withHeaders((given) => {
        const headers = new Headers(given);
        headers.append('webhook-id', 'another');
        return headers;
      }),
    'with a header that is no text': () =>
      withHeaders((headers) => ({ ...headers, 'webhook-signature': { length: 1 } as unknown as string })),
    'with a signature header of 1 MB': () => withSignature((one) => `${one} `.repeat(20_000)),
    'whose id holds the dot that ends it': () => genuine(BODY, now(), `${ID}.${now()}`),
    'whose id is of letters beyond ASCII': () => genuine(BODY, now(), 'ｉｄ'),
    'whose id is of 10,000 letters': () => genuine(BODY, now(), 'x'.repeat(10_000)),
    'whose time is 1e9': () => withTimestamp('1e9'),
    'whose time is negative': () => withTimestamp('-1'),
    'whose time has a fraction': () => withTimestamp(`${now()}.5`),
    'whose time has a sign': () => withTimestamp(`+${now()}`),
    'whose time has a space before it': () => withTimestamp(` ${now()}`),
    'whose time has letters behind it': () => withTimestamp(`${now()}abc`),
    'whose time is hexadecimal': () => withTimestamp(`0x${now().toString(16)}`),
    'whose time is written in full-width digits': () =>
      withTimestamp(String(now()).replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))),
    'whose time is more than a number can count': () => withTimestamp('9'.repeat(400)),
    'whose time is Infinity': () => withTimestamp('Infinity'),
    'whose time is a date': () => withTimestamp(new Date().toISOString()),
  },
  TIMESTAMP_TOO_OLD: {
    'that was recorded 301 seconds ago': () => genuine(BODY, now() - 301),
    'that was recorded at the beginning': () => genuine(BODY, 1),
    'that is too old for a tolerance of a second': () => ({
      ...genuine(BODY, now() - 3),
      options: { toleranceSeconds: 1 },
    }),
  },
  TIMESTAMP_TOO_NEW: {
    'from 360 seconds in the future': () => genuine(BODY, now() + 360),
    'from thousands of years in the future': () => genuine(BODY, '9'.repeat(12)),
  },
  INVALID_BODY: {
    'that a JSON parser took': () => ({ ...genuine(), body: EVENT }),
    'that is signed and is not JSON': () => genuine('not JSON'),
    'that is signed and empty': () => genuine(''),
    'that is signed and null': () => genuine('null'),
    'that is signed and a list': () => genuine(JSON.stringify([EVENT])),
    'that is signed and not UTF-8': () => genuine(Buffer.from(BODY, 'latin1')),
    'that is signed with its fields under __proto__': () => genuine(`{"__proto__":${BODY}}`),
    'that is signed without data': () => genuine(JSON.stringify({ ...EVENT, data: null })),
  },
  INVALID_SECRET: {
    'checked without a secret': () => withSecret(undefined),
    'checked with an empty secret': () => withSecret(''),
    'checked with no secret of several': () => withSecret([]),
    'checked with a prefix alone': () => withSecret('whsec_'),
    'checked with a truncated secret': () => withSecret(SECRET.slice(0, -3)),
    'checked with a secret of 30 bytes': () => withSecret(SECRET.slice(0, -4)),
    'checked with the key of the API': () => withSecret('AS_0123456789abcdefghijklmnopqrstuvwx'),
    'checked with a secret and its line end': () => withSecret(`${SECRET}\n`),
    'checked with two secrets of which one is none': () => withSecret([SECRET, 'whsec_']),
  },
};

describe('webhooks.verify', () => {
  for (const [code, deliveries] of Object.entries(hostile))
    for (const [title, make] of Object.entries(deliveries))
      it(`refuses a delivery ${title}: ${code}`, async () => {
        const error = await check(make()).then(
          () => expect.fail('it was accepted'),
          (thrown) => thrown,
        );
        expect(error).to.be.instanceOf(WebhookVerificationError);
        expect(error).to.include({ name: 'WebhookVerificationError', code });
        expect(error.message).to.match(/\.$/);
        expect(error.message).to.not.contain(SECRET.slice(6));
        // The same delivery as it was sent is accepted.
        expect(await check(genuine())).to.deep.equal(EVENT);
      });

  it('refuses more than twenty kinds of hostile deliveries in these tests', () => {
    expect(Object.values(hostile).flatMap(Object.keys).length).to.be.at.least(20);
  });

  it('takes the body as text and as bytes, also as a part of a larger buffer', async () => {
    const { body, headers } = genuine();
    const larger = Buffer.from(`xx${body}xx`);
    for (const raw of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY), larger.subarray(2, -2)])
      expect(await verify(raw, headers, SECRET)).to.deep.equal(EVENT);
  });

  it('takes headers of fetch, Node and others, in any case, with one value in a list', async () => {
    const { headers } = genuine();
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    const node: IncomingHttpHeaders = { host: 'example.com', 'set-cookie': ['a', 'b'], ...headers };
    for (const given of [new Headers(headers), headers, upper, lists, node])
      expect(await verify(BODY, given, SECRET)).to.deep.equal(EVENT);
  });

  it('takes several secrets and several signatures, in any order, and passes over signatures of other versions', async () => {
    const other = `whsec_${randomBytes(32).toString('base64')}`;
    const { headers } = genuine();
    const known = headers['webhook-signature'];
    const others = [`v1,${randomBytes(32).toString('base64')}`, `v1a,${randomBytes(64).toString('base64')}`];
    for (const secrets of [[SECRET, other], [other, SECRET], SECRET])
      for (const signatures of [[known, ...others], [...others, known], [known]])
        expect(await verify(BODY, { ...headers, 'webhook-signature': signatures.join(' ') }, secrets)).to.deep.equal(
          EVENT,
        );
  });

  it('takes secrets of 0.1.0, which are base64url without padding, as they are', async () => {
    const key = Buffer.from(`${'-_'.repeat(21)}8`, 'base64url');
    const old = `whsec_${key.toString('base64url')}`;
    expect(old).to.match(/^whsec_[\w-]{43}$/);
    const { headers } = genuine();
    const signature = `v1,${hmac(`${ID}.${headers['webhook-timestamp']}.${BODY}`, { key }).toString('base64')}`;
    expect(await verify(BODY, { ...headers, 'webhook-signature': signature }, old)).to.deep.equal(EVENT);
  });

  it('takes times within the tolerance, and refuses a tolerance that is no number', async () => {
    for (const timestamp of [now() - 295, now() + 295])
      expect(await check(genuine(BODY, timestamp))).to.deep.equal(EVENT);
    expect(await check({ ...genuine(BODY, now() - 86_400), options: { toleranceSeconds: 90_000 } })).to.deep.equal(
      EVENT,
    );
    for (const toleranceSeconds of [Number.NaN, -1]) {
      const thrown = await check({ ...genuine(BODY, 1), options: { toleranceSeconds } }).catch((error) => error);
      expect(thrown).to.be.instanceOf(RangeError);
    }
  });

  it('returns the event with the type of its data', async () => {
    const { body, headers } = genuine(
      JSON.stringify({ ...EVENT, type: 'email.clicked', data: { url: 'https://a.example' } }),
    );
    const event = await verify(body as string, headers, SECRET);
    if (event.type !== 'email.clicked') throw new Error(event.type);
    const url: string = event.data.url;
    expect(url).to.equal('https://a.example');
    // @ts-expect-error: a click has no reply of the relay.
    expect(event.data.reply).to.equal(undefined);
  });

  it('agrees with the library of Standard Webhooks: each takes what the other signs', async () => {
    const { body, headers } = genuine();
    const library = new Webhook(SECRET);
    expect(library.verify(body, headers)).to.deep.equal(EVENT);
    const at = new Date(now() * 1_000);
    const signature = library.sign('msg_other', at, BODY);
    const theirs = { 'webhook-id': 'msg_other', 'webhook-timestamp': String(at.getTime() / 1_000) };
    expect(await verify(BODY, { ...theirs, 'webhook-signature': signature }, SECRET)).to.deep.equal(EVENT);
  });

  it('accepts the example of docs/webhooks.md', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
    const [, head = '', body = ''] = /```http\nPOST .*\n([\s\S]*?)\n\n(.*)\n```/.exec(page) ?? [];
    const headers = Object.fromEntries(head.split('\n').map((line) => line.split(': ')));
    const [secret = ''] = /whsec_[\w+/=]+/.exec(page) ?? [];
    const options = { toleranceSeconds: Number.POSITIVE_INFINITY };
    expect(await verify(body, headers, secret, options)).to.include({ type: 'contact.created' });
    const ours = createHmac('sha256', secret).update(`${headers['X-Webhook-Timestamp']}.${body}`).digest('hex');
    expect(headers['X-Webhook-Signature']).to.equal(`v1=${ours}`);
  });
});
