import { type Endpoint, pathParameters } from '../../api/http/endpoint.ts';
import { endpointTable } from '../../api/http/table.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { upsertContactBody } from '../../schemas/people/contacts.ts';
import type { JsonSchema } from '../../schemas/schema.ts';
import { addressOf, bodyOf, FREE_FIELDS, fieldName, fill, type Known, type Making, OMIT } from './bodies.ts';
import { type Case, type Refusal, SMALLEST } from './judge.ts';
import { type Needle, needleFor, needleOf, numbersOf, type Shape, shapeNames, textOf } from './shapes.ts';
import { type Actor, bytesMaxOf, newActor, pathOf, type Stage, send, settled } from './stage.ts';

const CONDITIONS = 100;
const GROUP = 50;
const VALUE_LENGTH = 1_000;
const STEPS = 200;
const BRANCHES = 20;
/** An encoded character takes up to nine. */
const QUERY_TEXT_MAX = 300;
const PATH_LENGTH = 6_000;
/** Segments are made up to what a project may have, and not more of them. */
const SEGMENTS = 10;
const COMPARES = /^(contacts|contactLists|public)\./;
/** A body that is refused names the field, which is left out of the next one. */
const REFUSALS_MAX = 12;
const SENDS = /^(mails|inbound|templates\.test|campaigns\.test)/;
const FORM_BYTES = 16_384;
/** Made before the body that names them. */
const THINGS = ['contactId', 'contactListId', 'groupId', 'templateId', 'campaignId'];

/** Everything that the table of endpoints has, so that a new operation is here by itself. */
export const operations: readonly Endpoint[] = endpointTable(createMetrics()).filter(
  ({ produces = [], key }) => !produces.includes('text/event-stream') && key !== 'session',
);

export interface Choice {
  shape: Shape;
  /** Of what the texts are searched for: the values of filters, and the boundaries of mails. */
  needle: Needle;
  seed: number;
  /** How often a field that may be left out is left out. */
  omitted: number;
}

/** A call of the operation, with everything in it as large as it may be. */
export function caseOf(stage: Stage, endpoint: Endpoint, choice: Choice, isWhole: boolean): Case {
  const { environment } = stage;
  const { method, operation } = endpoint;
  const learned: Learned = { given: new Set(), refused: new Set(), plain: new Set() };
  let isFinal = false;
  let actor: Actor | null = null;
  const call = (one: Actor, ask: Asked) =>
    send(environment, { method, key: endpoint.key === 'admin' ? one.adminKey : one.projectKey, ...ask });
  return {
    name: `${operation}, ${choice.shape}`,
    threads: {
      kinds: ['jsonBody', ...(SENDS.test(operation) ? (['largeMails', 'signatures'] as const) : [])],
      bytes: bytesMaxOf(endpoint, isWhole),
    },
    async prepare(part, serial) {
      actor ??= await searchingActor(stage, endpoint, choice);
      const begun = actor;
      const made = (size: number, word: string) =>
        asked(endpoint, begun, { ...choice, ...learned, part: size, serial: word }, isWhole);
      for (let tries = 0; part === SMALLEST && tries < REFUSALS_MAX; tries += 1) {
        const { refuses } = await call(begun, made(part, `${serial}${tries}`));
        if (!refuses || isFinal) break;
        learn(refuses, learned);
      }
      isFinal = true;
      const ask = made(part, serial);
      return async () => {
        const answered = await call(begun, ask);
        if (SENDS.test(operation)) await settled(environment, begun.project._id);
        return answered;
      };
    },
  };
}

/** The project has segments, where contacts may change, that search as much as they may, in the properties that bodies have. */
export async function searchingActor({ environment }: Stage, endpoint: Endpoint, { needle }: Choice): Promise<Actor> {
  const actor = await newActor(environment, [...THINGS, ...pathParameters(endpoint.path)]);
  if (!COMPARES.test(endpoint.operation)) return actor;
  for (let made = 0, conditions = CONDITIONS; made < SEGMENTS && conditions >= 1; ) {
    const groups = Array.from({ length: conditions }, (_, at) => ({
      ...{ field: `contactProperties.${fieldName(at % FREE_FIELDS)}`, operator: 'contains' },
      value: needleOf(needle, VALUE_LENGTH),
    }));
    const filterCriteria = { logicalOperator: 'OR', groups };
    const { status } = await actor.client.post('/contact-lists', { name: `s${made}`, type: 'segment', filterCriteria });
    if (status === 201) made += 1;
    else conditions = Math.floor(conditions / 2);
  }
  return actor;
}

interface Learned {
  given: Set<string>;
  refused: Set<string>;
  plain: Set<string>;
}

interface Asking extends Choice, Learned {
  part: number;
  serial: string;
}

/**
 * "cc/3/email: is required": a field that is missing is given next time, and one that is refused is left out, or has a plain text where it
 * cannot be; if that is refused too, what it is in is left out.
 */
function learn({ field, isMissing }: Refusal, { given, refused, plain }: Learned): void {
  const path = field.replace(/\d+/g, '*');
  if (isMissing && !given.has(path)) given.add(path);
  else if (!isMissing && !given.has(path) && !refused.has(path)) refused.add(path);
  else if (!plain.has(path)) plain.add(path);
  else refused.add(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
}

interface Asked {
  path: string;
  type?: string;
  body?: Buffer;
}

function asked(endpoint: Endpoint, actor: Actor, asking: Asking, isWhole: boolean): Asked {
  const { part, serial, shape, seed } = asking;
  const path = pathOf(endpoint, actor);
  const wanted = { ...asking, known: knownOf(actor, endpoint.operation) };
  if (endpoint.body)
    return { path, body: bodyOf(endpoint.body.json, { ...wanted, bytesMax: bytesMaxOf(endpoint, isWhole) }) };
  if (endpoint.rawBody) {
    const types = endpoint.rawBody.filter((type) => type !== '');
    const bytes = Math.floor(part * (endpoint.bodyLimit ? bytesMaxOf(endpoint, isWhole) : FORM_BYTES));
    return { path, ...rawBody(types[seed % types.length]!, shape, bytes, serial) };
  }
  // Without a body there is only what the address has.
  if (!endpoint.query)
    return { path: pathOf(endpoint, { ...actor, named: anything(textInPath(shape, part, serial)) }) };
  const making = { ...wanted, textMax: Math.ceil(QUERY_TEXT_MAX * part), itemsMax: 1, random: numbersOf(seed) };
  const query = new URLSearchParams(fill(endpoint.query.json, '', making, 0) as Record<string, string>);
  return { path: `${path}?${query}` };
}

function textInPath(shape: Shape, part: number, serial: string): string {
  let text = textOf(shape, PATH_LENGTH * part, serial);
  while (encodeURIComponent(text).length > PATH_LENGTH * part) text = text.slice(0, text.length / 2).toWellFormed();
  return text;
}

/** Every name is this text. */
function anything(text: string): Record<string, string> {
  return new Proxy({}, { get: () => text });
}

/** The bodies that a handler reads itself: forms, files of contacts and pictures. */
export function rawBody(type: string, shape: Shape, bytes: number, serial: string): { type: string; body: Buffer } {
  const text = (length: number) => textOf(shape, Math.max(8, length), serial);
  const of = (content: string) => Buffer.from(content).subarray(0, bytes);
  if (type === 'application/json') return { type, body: Buffer.from(JSON.stringify({ email: text(bytes / 4) })) };
  if (type.includes('urlencoded'))
    return { type, body: of(`email=${addressOf(serial)}&a=${encodeURIComponent(text(bytes))}`) };
  if (type.includes('json') && type !== 'application/json')
    return {
      type,
      body: of(`${JSON.stringify({ email: addressOf(serial), firstName: text(250) })}\n`.repeat(bytes / 300)),
    };
  if (type !== 'multipart/form-data') return { type, body: of(`email,firstName\n${rows(text, serial, bytes)}`) };
  const boundary = '-'.repeat(60);
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n`;
  return {
    type: `${type}; boundary=${boundary}`,
    body: of(`${file}email,firstName\n${rows(text, serial, bytes - 600)}\r\n--${boundary}--\r\n`),
  };
}

function rows(text: (length: number) => string, serial: string, bytes: number): string {
  const row = (at: number) => `${addressOf(serial + at.toString(36))},${text(200)}\n`;
  return Array.from({ length: Math.ceil(bytes / 420) }, (_, at) => row(at)).join('');
}

/** Values for fields that name something, or have a form that the schema does not say. */
export function knownOf({ named, domain }: Actor, operation = ''): Known {
  const sender = { email: `post@${domain}`, name: 'Post' };
  const list = () => named.contactListId;
  return {
    from: (_, __, { type }) => (type === 'object' ? sender : undefined),
    publicFrom: () => sender,
    senderEmail: () => sender.email,
    'listIds[]': list,
    'toLists[]': list,
    'excludeLists[]': list,
    'removeListIds[]': list,
    contactListId: list,
    listId: list,
    contactId: () => named.contactId,
    templateId: () => named.templateId,
    unsubscribeGroupId: () => named.groupId,
    groupId: () => named.groupId,
    campaignId: () => named.campaignId,
    eventName: (_, __, { pattern }) => (pattern ? undefined : 'paid'),
    domainName: ({ serial }) => `${serial}.example.com`,
    url: ({ shape, textMax, serial }) =>
      `https://example.com/${encodeURIComponent(textOf(shape, Math.min(600, textMax), serial))}`,
    fileUrl: () => OMIT,
    fileSize: () => OMIT,
    filename: () => OMIT,
    fileName: ({ serial }) => serial,
    content: ({ textMax }, _, { maxLength }) =>
      maxLength === undefined ? 'QUJD'.repeat(Math.max(1, Math.floor(textMax / 4))) : undefined,
    senderId: () => OMIT,
    scheduledAt: () => (operation === 'emails.update' ? new Date(Date.now() + 3_600_000).toISOString() : OMIT),
    updatedAt: () => OMIT,
    apiKey: () => (operation.endsWith('B') ? 're_key' : 'SG.key'),
    ...(operation === 'automations.enroll' ? { contactIds: () => OMIT, listId: () => OMIT } : {}),
    ...(operation === 'senders.create' ? { email: ({ serial }: Making) => `${serial}@${domain}` } : {}),
    'emails[]': ({ serial }, at) => addressOf(`${serial}${at.toString(36)}`),
    'contacts[]': (making, at) => fill(upsertContactBody.json, 'contact', making, at),
    filterCriteria: filterAtMost,
    steps: stepsAtMost,
  };
}

/** As many conditions as a filter may have, a few of which search. */
export function filterAtMost(making: Making): object {
  const value = needleOf(making.needle, Math.min(VALUE_LENGTH, making.textMax));
  const condition = (_: unknown, at: number) => ({
    field: `contactProperties.p${at}`,
    operator: at % 8 === 0 ? 'contains' : 'starts_with',
    value,
  });
  const groups = Array.from({ length: Math.min(CONDITIONS, making.itemsMax) }, condition);
  const nested = { logicalOperator: 'OR', groups: groups.slice(GROUP - 1, 2 * GROUP - 1) };
  return {
    logicalOperator: 'OR',
    groups: [...groups.slice(0, GROUP - 1), ...(groups.length >= GROUP ? [nested] : [])],
  };
}

/** A chain of as many steps as there may be; branches have filters and lead on. */
export function stepsAtMost(making: Making, _: number, { items }: JsonSchema): object[] | undefined {
  if (!items) return undefined;
  const count = Math.max(3, Math.min(STEPS, making.itemsMax));
  const text = (length: number) => textOf(making.shape, Math.min(length, making.textMax), making.serial);
  const senderEmail = making.known.senderEmail?.(making, 0, {});
  return Array.from({ length: count }, (__, at) => {
    const next = { stepId: `s${at}`, nextStepId: at + 1 < count ? `s${at + 1}` : null };
    if (at % 3 === 0) return { ...next, type: 'wait', delay: { value: 1, unit: 'days' } };
    if (at % 3 === 1 || at + 1 === count)
      return {
        ...next,
        type: 'email',
        email: { senderEmail, htmlTemplate: text(1_000_000), subject: text(900).replace(/\p{Cc}/gu, ' ') },
      };
    const branches = Array.from({ length: Math.min(BRANCHES, making.itemsMax) }, (___, number) => ({
      ...{ branchId: `b${at}-${number}`, nextStepId: null, mergeStepId: next.nextStepId },
      filterCriteria: filterAtMost({ ...making, itemsMax: Math.min(2, making.itemsMax) }),
    }));
    return { ...next, type: 'branch', branches };
  });
}

/** One call of each operation for each shape, in an order that the seed decides. */
export function choices(seed: number, endpoint: Endpoint, count: number): Choice[] {
  const first = [...endpoint.operation].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, seed) >>> 0;
  return Array.from({ length: count }, (_, at) => choiceOf(first + at));
}

export function choiceOf(seed: number): Choice {
  const shape = shapeNames[seed % shapeNames.length]!;
  return { shape, needle: needleFor(shape, seed), seed, omitted: seed % 3 === 0 ? 0 : 0.4 };
}
