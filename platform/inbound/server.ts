import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import type { Deps } from '../../core/base/deps.ts';
import { Blocks } from '../../core/base/held-bytes.ts';
import { networkOf } from '../../core/base/text/networks.ts';
import { type Destination, judgeRecipient } from '../../core/inbound/destinations.ts';
import type { MailReader } from '../../core/inbound/mail.ts';
import { fullQuota, type Quota, quotaMegabytes } from '../../core/inbound/quotas.ts';
import { receiveMail } from '../../core/inbound/receive.ts';
import { networkSet } from '../networks.ts';
import { createHeldBytes, INBOUND_LIMITS, type InboundLimits, LimitedSmtpServer } from './limits.ts';
import { createMailReader } from './reader.ts';
import { reply } from './reply.ts';
import { followCertificate, readCertificate } from './tls.ts';

const MAIL_BYTES_MAX = 25 * 1024 * 1024;
const RECIPIENTS_MAX = 100;
const UNPROVEN =
  '5.7.1 You are not unsubscribed: the mail that you answer is no longer kept, and yours does not prove its sender (DMARC). Use the link in the mail, or write to its sender';
const UNREAD =
  '5.7.1 Nobody reads letters to this address (POSTMASTER_TO of the server is not set); feedback reports are taken';

export interface InboundServer {
  port: number;
  close(): Promise<void>;
}

/** Accepts mail for return paths, for List-Unsubscribe, for feedback and for domains that receive; everything else is refused at RCPT. */
export async function openInboundServer(
  deps: Deps,
  { limits = INBOUND_LIMITS }: { limits?: typeof INBOUND_LIMITS } = {},
): Promise<InboundServer> {
  const { inboundSmtpHost, inboundSmtpPort, inboundProxies, inboundConnectionsPerAddress } = deps.config;
  if (deps.config.postmasterTo === '')
    deps.log.warn({}, 'POSTMASTER_TO is not set: letters to postmaster@ and abuse@ of this server are refused');
  const certificate = readCertificate('inbound', deps.config);
  const reader = createMailReader(deps.config, deps.log, limits);
  const own = {
    ...limits,
    connectionsPerAddress: inboundConnectionsPerAddress,
    gateways: networkSet(deps.config.inboundGateways),
  };
  const door = createDoor(deps, reader, own);
  const options: ConstructorParameters<typeof LimitedSmtpServer>[0] = {
    name: deps.config.mailHost,
    size: MAIL_BYTES_MAX,
    authOptional: true,
    disabledCommands: certificate ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    ...certificate,
    useProxy: inboundProxies,
    onRcptTo: (address, session, callback) => void door.recipient(address.address, session).then(callback, callback),
    onData: (stream, session, callback) => {
      door.data(stream, session).then(
        (answer) => {
          server.restartCommands(session.id);
          callback(null, answer);
        },
        (error) => callback(error),
      );
    },
    onClose: (session) => door.forget(session),
  };
  const server = new LimitedSmtpServer(options, own);
  server.on('error', (error) => deps.log.debug({ err: error }, 'inbound connection failed'));
  const port = await server.open(inboundSmtpPort, inboundSmtpHost);
  const renewal = followCertificate('inbound', [server], deps);
  return {
    port,
    async close() {
      renewal.stop();
      await server.stop();
      await reader.close();
    },
  };
}

function createDoor(deps: Deps, reader: MailReader, { bytes, bytesPerAddress }: InboundLimits) {
  const judged = new Map<string, Map<string, Destination>>();
  const allowed = createHeldBytes(bytes, bytesPerAddress);

  async function recipient(address: string, session: SMTPServerSession): Promise<undefined> {
    const known = judged.get(session.id) ?? new Map<string, Destination>();
    if (session.envelope.rcptTo.length >= RECIPIENTS_MAX) throw reply(452, '4.5.3 Too many recipients');
    const { verdict, full } = await judge(address, session).catch((error) => {
      deps.log.warn({ err: error }, 'inbound recipient lookup failed; the mail was deferred');
      throw reply(451, '4.3.0 Come back in a minute');
    });
    if ('refused' in verdict) throw reply(verdict.refused, verdict.message);
    if (full) throw overQuota(deps, full);
    known.set(address.toLowerCase(), verdict);
    judged.set(session.id, known);
    return undefined;
  }

  /** Mail over a quota is put off before its bytes are sent, and its other recipients get it. */
  async function judge(address: string, session: SMTPServerSession) {
    const verdict = await judgeRecipient(deps, address);
    if ('refused' in verdict || verdict.kind !== 'mailbox') return { verdict, full: null };
    const bringing = { projectId: verdict.projectId, network: networkOf(session.remoteAddress) };
    return { verdict, full: await fullQuota(deps, bringing, declaredSize(session)) };
  }

  async function data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const known = judged.get(session.id) ?? new Map<string, Destination>();
    const network = networkOf(session.remoteAddress);
    const held = new Blocks();
    let own = 0;
    let isOver = false;
    const hold = (bytes: number) => {
      own += bytes;
      allowed.add(network, bytes);
    };
    try {
      // Always read to the end: the answer comes after the final dot.
      for await (const piece of stream as AsyncIterable<Buffer>) {
        if (isOver) continue;
        isOver = own + piece.length > MAIL_BYTES_MAX || !allowed.fits(network, piece.length);
        if (!isOver) {
          hold(piece.length);
          held.add(piece);
          continue;
        }
        // It will be refused: what it holds is for mails that can still be taken.
        held.drop();
        hold(-own);
      }
      if (stream.sizeExceeded || (isOver && stream.byteLength > MAIL_BYTES_MAX))
        throw reply(552, `5.3.4 A mail may have ${MAIL_BYTES_MAX} bytes`);
      if (isOver) throw reply(452, '4.3.1 Too much at a time; come back in a minute');
      return await take(held.take(), session, known);
    } finally {
      hold(-own);
    }
  }

  async function take(bytes: Buffer, session: SMTPServerSession, known: Map<string, Destination>): Promise<string> {
    const destinations = session.envelope.rcptTo.flatMap(({ address }) => known.get(address.toLowerCase()) ?? []);
    const envelope = {
      mailFrom: senderOf(session),
      remoteAddress: session.remoteAddress,
      helo: String(session.hostNameAppearsAs || ''),
    };
    const received = await receiveMail(deps, reader, { destinations, envelope, bytes }).catch((error) => {
      deps.log.error({ err: error }, 'inbound mail could not be stored; it was deferred');
      throw reply(451, '4.3.0 Come back in a minute');
    });
    if (received === 'later') throw reply(451, '4.3.0 Too early; come back in a minute');
    if (received === 'unproven') throw reply(550, UNPROVEN);
    if (received === 'slow') throw reply(451, '4.3.0 Reading the mail takes too long; come back in a minute');
    if (received === 'crowded') throw reply(452, '4.3.1 Too much at a time; come back in a minute');
    if (received === 'network' || received === 'project') throw overQuota(deps, received);
    if (received === 'unread') throw reply(550, UNREAD);
    if (received === 'anonymous') throw reply(554, '5.6.0 A mail with the null sender needs a From header');
    if (received === 'refused') throw reply(554, '5.6.0 The mail cannot be read, or has too many parts');
    return '2.0.0 Taken';
  }

  return { recipient, data, forget: (session: SMTPServerSession) => judged.delete(session.id) };
}

function overQuota(deps: Pick<Deps, 'config'>, quota: Quota): Error {
  const megabytes = quotaMegabytes(deps, quota);
  return quota === 'network'
    ? reply(452, `4.3.1 This is over the ${megabytes} MB a day of your network; come back after midnight UTC`)
    : reply(452, `4.2.2 This is over the ${megabytes} MB a day of this domain; come back after midnight UTC`);
}

/** SIZE of MAIL FROM; 0 when there is none. */
function declaredSize({ envelope: { mailFrom } }: SMTPServerSession): number {
  const { SIZE } = (mailFrom && (mailFrom.args as Record<string, unknown>)) || {};
  return Number(SIZE) || 0;
}

function senderOf({ envelope }: SMTPServerSession): string {
  return envelope.mailFrom === false ? '' : envelope.mailFrom.address.toLowerCase();
}
