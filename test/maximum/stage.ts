import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import { bodyLimits } from '../../api/http/body/body.ts';
import { type Endpoint, fullPath, pathParameters } from '../../api/http/endpoint.ts';
import { unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import { type Post, startPost } from '../delivery/support.ts';
import { makers } from '../edge/makers.ts';
import { refOf, sentMessage } from '../feedback/support.ts';
import { type Environment, startEnvironment, type Tenant } from '../support/environment.ts';
import { startDnsStandIn } from '../support/mail/dns-stand-in.ts';
import { seedSendingDomain } from '../support/mail/domains.ts';
import { FREE_FIELDS, fieldName } from './bodies.ts';
import type { Answered } from './judge.ts';

export const HOST = 'mail.example.com';
const NO_ID = '0123456789abcdef01234567';
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/** The API and the mail lanes in this process. Answers are not checked against their schemas, which would take longer than to make them. */
export interface Stage {
  environment: Environment;
  post: Post;
  stop(): Promise<void>;
}

export async function startStage(): Promise<Stage> {
  const dns = await startDnsStandIn();
  const env = {
    ...{ MAIL_HOST: HOST, DNS_SERVERS: dns.address, PROVIDER_A_URL: NOWHERE, PROVIDER_B_URL: NOWHERE },
    ...{ PUBLIC_RATE_LIMIT: '10000000', AUTH_FAILURE_LIMIT: '1000000', SMTP_MAX_CONNECTIONS: '8' },
  };
  const environment = await startEnvironment(env, { checkAnswers: false });
  // The relay is in this process too, and looking at what arrives takes longer than to send it.
  const post = await startPost({ environment, sink: { strict: false, keepRaw: 0 } });
  return {
    ...{ environment, post },
    async stop() {
      await post.stop();
      await environment.stop();
      await dns.stop();
    },
  };
}

/** A project with one of each thing that a body or a path may name. */
export interface Actor extends Tenant {
  domain: string;
  named: Record<string, string>;
}

const LOOKS_MAX = 8;
let domains = 0;

export async function newActor(environment: Environment, names: readonly string[]): Promise<Actor> {
  const tenant = await environment.newTenant('Actor');
  domains += 1;
  const domain = `d${domains}.actor.example.com`;
  await seedSendingDomain(environment.deps, tenant.project, domain);
  const properties = Array.from({ length: FREE_FIELDS }, (_, at) => ({ propertyName: fieldName(at), type: 'string' }));
  await tenant.client.post('/events', { eventName: 'paid', properties });
  const named: Record<string, string> = { projectId: tenant.project._id.toHexString() };
  if (names.includes('token')) {
    const { email, ...message } = await sentMessage(environment, tenant);
    named.token = unsubscribeToken(environment.deps.config, { ...refOf({ ...message, email }), groupId: null, email });
  }
  for (const name of names) named[name] ??= (await makers[name]?.make(tenant, environment)) ?? NO_ID;
  return { ...tenant, domain, named };
}

export function pathOf(endpoint: Endpoint, { named }: Actor): string {
  return pathParameters(endpoint.path).reduce(
    (path, name) => path.replace(`{${name}}`, encodeURIComponent(named[name] ?? NO_ID)),
    fullPath(endpoint, endpoint.path),
  );
}

export function bytesMaxOf({ bodyLimit = 'standard' }: Endpoint, isWhole: boolean): number {
  return isWhole ? bodyLimits[bodyLimit] : Math.min(bodyLimits[bodyLimit], 4 * bodyLimits.standard);
}

interface Sent {
  method: string;
  path: string;
  key: string | null;
  type?: string;
  body?: Buffer;
  headers?: Record<string, string>;
}

/** Sends bytes and looks at the answer's first ones alone: this is in the process that is measured. */
export function send({ url }: Environment, { method, path, key, type, body, headers: more }: Sent): Promise<Answered> {
  const headers = {
    ...more,
    ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
    ...(body ? { 'Content-Type': type ?? 'application/json', 'Content-Length': body.length } : {}),
    ...{ 'X-Everpost-Console': '1', Origin: url },
  };
  return new Promise((resolve, reject) => {
    // A connection of its own: one that is kept may be closed by the server while a large body is made.
    const asked = request(url + path, { method: method.toUpperCase(), headers, agent: false }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.length < 4 && pieces.push(piece));
      answer.once('end', () => {
        const begins = Buffer.concat(pieces).toString('latin1').slice(0, 4_000);
        resolve(judged(answer.statusCode ?? 0, answer.headers['content-type'] ?? '', begins));
      });
      answer.once('error', reject);
    });
    asked.once('error', reject).end(body);
  });
}

/** Unreachable providers are 502; every other answer of ours is below 500 and, where it is JSON, in the envelope. */
function judged(status: number, type: string, begins: string): Answered {
  const isEnvelope = status < 400 || begins.startsWith('{"success":') || !type.includes('json');
  const isFault = !isEnvelope || (status >= 500 && !/Provider [AB] could not be reached/.test(begins));
  const code = /"code":"(\w+)"/.exec(begins)?.[1] ?? '';
  const says = `${status}${code ? ` ${code}` : ''}${process.env.SHOW_ANSWERS && status >= 400 ? begins.slice(27, 200) : ''}`;
  const [, field, how = ''] = (status === 400 && /"details":"([\w/]+)([^"]*)"/.exec(begins)) || [];
  const refuses = field === undefined ? undefined : { field, isMissing: how.startsWith(': is required') };
  return { says, refuses, fault: isFault ? `answered ${status} ${begins.slice(0, 300)}` : undefined };
}

/** The lanes work at what was queued, so that their turns count too; what is still there after that is removed. */
export async function settled({ deps }: Environment, projectId: ObjectId): Promise<void> {
  const waiting = { projectId, state: { $in: ['queued' as const, 'committing' as const] } };
  for (let look = 0; look < LOOKS_MAX && (await deps.db.messages.findOne(waiting)); look += 1) await sleep(250);
  await deps.db.messages.deleteMany({ projectId, state: 'queued' });
}
