import type { BeforeDot, Connection, Delivery, Lane, Mailer } from '../../core/mail/ledger/relay.ts';
import { createMailer, type MailerOptions } from '../../platform/smtp/mailer.ts';
import { type Sink, type SinkOptions, startSink } from '../support/mail/smtp-sink.ts';

export const TIMES = 50;

interface Relay {
  sink: Sink;
  mailer: Mailer;
}

const open: Relay[] = [];

/** Longer than other processes keep the processor. */
const TIMEOUTS = { connectMs: 30_000, greetingMs: 30_000, commandMs: 30_000, bodyMs: 30_000, dotMs: 30_000 };

/** A sink and a mailer; closeRelays() ends both. */
export async function startRelay(options: SinkOptions = {}, more: Partial<MailerOptions> = {}): Promise<Relay> {
  const sink = await startSink(options);
  const timeouts = { ...TIMEOUTS, ...more.timeouts };
  const mailer = createMailer({ url: sink.url, connectionsMax: 20, clientName: 'test.example', ...more, timeouts });
  const relay = { sink, mailer };
  open.push(relay);
  return relay;
}

/** A sink for each of these parameters of a URL, and one mailer for all of them. */
export async function startRelays(
  parameters: readonly string[],
  { sink = {}, ...more }: Partial<MailerOptions> & { sink?: SinkOptions } = {},
): Promise<{ sinks: Sink[]; mailer: Mailer }> {
  const sinks = await Promise.all(parameters.map(() => startSink(sink)));
  const url = sinks.map((one, index) => `${one.url}?${parameters[index]}`).join(',');
  const timeouts = { ...TIMEOUTS, ...more.timeouts };
  const mailer = createMailer({ url, connectionsMax: 20, clientName: 'test.example', ...more, timeouts });
  for (const one of sinks) open.push({ sink: one, mailer });
  return { sinks, mailer };
}

export async function closeRelays(): Promise<void> {
  for (const { sink, mailer } of open.splice(0)) {
    await mailer.close(0);
    await sink.close();
  }
}

export async function take(mailer: Mailer, lane: Lane = 'campaign'): Promise<Connection> {
  const acquired = await mailer.acquire(lane);
  if (!acquired.connection) throw new Error(`no connection: ${JSON.stringify(acquired.fault)}`);
  return acquired.connection;
}

let number = 0;

/** Hands over one message to `to` and gives the connection back. */
export async function deliver(mailer: Mailer, to: string | string[], parts: Partial<Mail> = {}): Promise<Delivery> {
  const acquired = await mailer.acquire(parts.lane ?? 'campaign');
  if (!acquired.connection) throw new Error(`no connection: ${JSON.stringify(acquired.fault)}`);
  const delivery = await sendOn(acquired.connection, to, parts);
  acquired.connection.release();
  return delivery;
}

interface Mail {
  lane: Lane;
  from: string;
  message: string | Buffer;
  eightBit: boolean;
  beforeDot: BeforeDot;
}

export function sendOn(connection: Connection, to: string | string[], parts: Partial<Mail> = {}): Promise<Delivery> {
  const envelope = { from: parts.from ?? 'bounce@out.test', to: [to].flat(), eightBit: parts.eightBit };
  return connection.send(envelope, parts.message ?? newMessage(), parts.beforeDot ?? (() => true));
}

export function newMessage(body = 'Hello\r\n'): string {
  return `From: a@out.test\r\nMessage-ID: <${++number}@out.test>\r\nSubject: Test\r\n\r\n${body}`;
}

/** Fifty tries, ten at a time, each with a recipient of its own. */
export async function fiftyTimes(one: (index: number) => Promise<void>): Promise<void> {
  for (let index = 0; index < TIMES; index += 10)
    await Promise.all(Array.from({ length: 10 }, (_, offset) => one(index + offset)));
}
