import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { secretKeyBytes } from '../../core/base/secrets.ts';
import type { Config } from '../../schemas/config.ts';

/** The client as `initialize` described it. Later requests may reach any process, so their `Mcp-Session-Id` carries it, under a MAC. */
export interface Session {
  apiKeyId: ObjectId;
  version: string;
  hasForms: boolean;
  /** Different in each session: ids of requests are unique within a session only. */
  nonce: string;
}

type Keys = Pick<Config, 'secretKeys'>;

const NONCE_BYTES = 12;
const MAC_BYTES = 16;
const TOKEN = /^([A-Za-z0-9_-]{1,400})\.([A-Za-z0-9_-]{22})$/;

export function sessionToken(config: Keys, { apiKeyId, version, hasForms }: Omit<Session, 'nonce'>): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  const payload = Buffer.from(JSON.stringify([apiKeyId.toHexString(), version, hasForms, nonce])).toString('base64url');
  const [mac] = macsOf(config, payload);
  if (!mac) throw new Error('SECRET_KEYS names no key, so no session can be signed.');
  return `${payload}.${mac.toString('base64url')}`;
}

/** null: not signed by this installation. */
export function readSession(config: Keys, token: string): Session | null {
  const [, payload, given = ''] = TOKEN.exec(token) ?? [];
  if (payload === undefined) return null;
  const mac = Buffer.from(given, 'base64url');
  if (!macsOf(config, payload).some((right) => timingSafeEqual(mac, right))) return null;
  const [apiKeyId, version, hasForms, nonce] = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return { apiKeyId: new ObjectId(apiKeyId), version, hasForms, nonce };
}

/** The first key signs, all are accepted. */
function macsOf(config: Keys, payload: string): Buffer[] {
  return secretKeyBytes(config).map((key) =>
    createHmac('sha256', key).update(`mcp session\u0000${payload}`).digest().subarray(0, MAC_BYTES),
  );
}
