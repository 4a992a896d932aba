import { createTransport, type SendMailOptions } from 'nodemailer';
import type { Deps } from '../../../core/base/deps.ts';
import { createRateLimiter } from '../../../platform/redis/rate-limit.ts';
import {
  openSubmissionServer,
  SUBMISSION_LIMITS,
  type SubmissionLimits,
  type SubmissionServer,
} from '../../../platform/submission/server.ts';
import { anyFreePort } from '../../../stack/ports.ts';
import { connectClient } from './inbound-door.ts';

export interface SubmissionDoor {
  server: SubmissionServer;
  /** By nodemailer, with this key as the password; returns the emailId. Rejects with the reply. */
  send(mail: SendMailOptions, more?: { key?: string; authMethod?: string; user?: string }): Promise<string>;
  /** Line by line. Resolves with the last reply, which may be a refusal of any step. */
  hand(mail: { raw: string; from?: string; to?: string | string[]; key?: string }): Promise<string>;
  /** A session that has logged in. */
  session(key?: string): Promise<ReturnType<typeof connectClient>>;
  close(): Promise<void>;
}

/** The submission server in this process, as its role runs it. */
export async function openSubmission(
  { deps, key }: { deps: Deps; key: string },
  config: Partial<Deps['config']> = {},
  limits: Partial<SubmissionLimits> = {},
): Promise<SubmissionDoor> {
  const [submissionPort, submissionTlsPort] = [await anyFreePort(), await anyFreePort()];
  const own = { ...deps, config: { ...deps.config, submissionPort, submissionTlsPort, ...config } };
  // The counts of a minute end with the minute of the clock.
  const limiter = createRateLimiter(null, 'test', () => 0);
  const server = await openSubmissionServer(own, { limiter, limits: { ...SUBMISSION_LIMITS, ...limits } });
  const session = async (password = key) => {
    const client = connectClient(server.port);
    await client.line();
    await client.ask('EHLO client.example.net');
    await client.ask(`AUTH PLAIN ${plain(password)}`);
    return client;
  };
  return {
    server,
    session,
    async send(mail, { key: pass = key, authMethod, user = 'anyone' } = {}) {
      const method = authMethod ? { authMethod } : {};
      const transport = createTransport({ host: '127.0.0.1', port: server.port, auth: { user, pass }, ...method });
      try {
        return emailIdOf(await transport.sendMail(mail));
      } finally {
        transport.close();
      }
    },
    async hand({ raw, from = 'app@client.example.net', to = 'ada@in.test', key: password = key }) {
      const { socket, ask } = await session(password);
      try {
        for (const command of [`MAIL FROM:<${from}>`, ...[to].flat().map((one) => `RCPT TO:<${one}>`), 'DATA']) {
          const reply = await ask(command);
          if (!/^[23]/.test(reply)) return reply;
        }
        return await ask(`${raw.replace(/\r?\n/g, '\r\n').replace(/^\./gm, '..')}\r\n.`);
      } finally {
        socket.destroy();
      }
    },
    async close() {
      await server.close();
      limiter.stop();
    },
  };
}

export function plain(password: string, user = 'anyone'): string {
  return Buffer.from(`\u0000${user}\u0000${password}`).toString('base64');
}

/** Of "250 2.0.0 <emailId>". */
export function emailIdOf({ response = '' }: { response?: string | undefined }): string {
  const [, id] = /^250 2\.0\.0 ([0-9a-f]{24})$/.exec(response) ?? [];
  if (id === undefined) throw new Error(`not taken: ${response}`);
  return id;
}
