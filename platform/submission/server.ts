import type { SMTPServerSession } from 'smtp-server';
import { createAuthenticator } from '../../core/accounts/api-keys.ts';
import type { Deps } from '../../core/base/deps.ts';
import { isLoopbackAddress } from '../../core/base/text/networks.ts';
import { LimitedSmtpServer, type SessionLimits } from '../inbound/limits.ts';
import { followCertificate, readCertificate } from '../inbound/tls.ts';
import type { RateLimiter } from '../redis/rate-limit.ts';
import { createDoor, LOGIN_FIRST, MAIL_BYTES_MAX } from './door.ts';

export interface SubmissionLimits extends SessionLimits {
  bytes: number;
  bytesPerAddress: number;
}

export const SUBMISSION_LIMITS: SubmissionLimits = {
  connectionsPerAddress: 20,
  sessionMs: 30 * 60_000,
  loginMs: 60_000,
  commandsMax: 300,
  bytes: 64 * 1024 * 1024,
  bytesPerAddress: 24 * 1024 * 1024,
};

export interface SubmissionServer {
  port: number;
  /** null: there is no certificate. */
  tlsPort: number | null;
  close(): Promise<void>;
}

/** Takes mail of callers by SMTP, with an API key as the password. 250 means that it is stored, as 2xx does over HTTP. */
export async function openSubmissionServer(
  deps: Deps,
  { limiter, limits = SUBMISSION_LIMITS }: { limiter: RateLimiter; limits?: SubmissionLimits },
): Promise<SubmissionServer> {
  const { config, log } = deps;
  const certificate = readCertificate('submission', config);
  const authenticate = createAuthenticator(deps);
  const door = createDoor(deps, { authenticate, limiter, ...limits });
  const connections = new Map<string, number>();

  function serverOf(secure: boolean): LimitedSmtpServer {
    const disabledCommands = certificate ? [] : ['STARTTLS'];
    const mayLogIn = (session: SMTPServerSession) =>
      session.secure || config.submissionPlainAuth || isLoopbackAddress(session.remoteAddress);
    const offer = (session: SMTPServerSession) => {
      session.disabledCommands = mayLogIn(session) ? disabledCommands : [...disabledCommands, 'AUTH'];
    };
    const server: LimitedSmtpServer = new LimitedSmtpServer(
      {
        name: config.mailHost,
        size: MAIL_BYTES_MAX,
        secure,
        ...certificate,
        disabledCommands,
        authMethods: ['PLAIN', 'LOGIN'],
        authRequiredMessage: LOGIN_FIRST,
        // By `offer`: where AUTH is not safe it is not offered at all.
        allowInsecureAuth: true,
        hideSMTPUTF8: true,
        useProxy: config.inboundProxies,
        onConnect: (session, callback) => {
          offer(session);
          callback();
        },
        onSecure: (_socket, session, callback) => {
          offer(session);
          callback();
        },
        onAuth: (auth, session, callback) =>
          void door.login(auth, session).then((user) => callback(null, { user }), callback),
        onMailFrom: (_address, session, callback) => void door.sender(session).then(() => callback(), callback),
        onRcptTo: ({ address }, session, callback) =>
          void door.recipient(address, session).then(() => callback(), callback),
        onData: (stream, session, callback) =>
          void door.data(stream, session).then((answer) => {
            server.restartCommands(session.id);
            callback(null, answer);
          }, callback),
      },
      limits,
      connections,
    );
    server.on('error', (error) => log.debug({ err: error }, 'submission connection failed'));
    return server;
  }

  const plain = serverOf(false);
  const secure = certificate ? serverOf(true) : null;
  const port = await plain.open(config.submissionPort, config.submissionHost);
  const tlsPort = secure && (await secure.open(config.submissionTlsPort, config.submissionHost));
  const servers = secure ? [plain, secure] : [plain];
  const renewal = followCertificate('submission', servers, deps);
  return {
    port,
    tlsPort,
    async close() {
      renewal.stop();
      await Promise.all(servers.map((server) => server.stop()));
      authenticate.stop();
    },
  };
}
