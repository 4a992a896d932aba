import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DnsRecord } from '../../../core/domains/model.ts';
import { anyFreePort } from '../../../stack/ports.ts';

/** A DNS server on loopback, over UDP and TCP, whose zones a test sets as it goes. */
export interface DnsStandIn {
  /** For DNS_SERVERS. */
  address: string;
  /** Replaces the records of that name and type; none: NODATA while the name has others, else NXDOMAIN. */
  set(name: string, type: RecordType, values: Array<string | { exchange: string; priority: number }>): void;
  publish(...records: DnsRecord[]): void;
  clear(): void;
  /** silent: no answer at all. An array of names limits it to these. */
  behave(how: 'answer' | 'servfail' | 'silent' | { slowMs: number }, onlyNames?: string[]): void;
  queries: string[];
  overTcp: number;
  stop(): Promise<void>;
}

type RecordType = 'TXT' | 'MX';
const TYPES: Record<number, RecordType> = { 15: 'MX', 16: 'TXT' };
const UDP_MAX = 512;
const SERVFAIL = 2;
const NXDOMAIN = 3;

export async function startDnsStandIn(): Promise<DnsStandIn> {
  const zone = new Map<string, Buffer[]>();
  let behaviour: Parameters<DnsStandIn['behave']>[0] = 'answer';
  let limitedTo: string[] | undefined;
  const udp = createSocket('udp4');
  const tcp = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', async (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const query = received.subarray(2, end);
        received = received.subarray(end);
        standIn.overTcp += 1;
        const answer = await reply(query);
        if (answer && !socket.destroyed) socket.write(Buffer.concat([uint16(answer.length), answer]));
      }
    });
  });

  udp.on('message', async (query, from) => {
    const answer = await reply(query);
    if (answer) udp.send(answer.length > UDP_MAX ? truncated(answer, query) : answer, from.port, from.address);
  });

  async function reply(query: Buffer): Promise<Buffer | null> {
    const { name, type, end } = readQuestion(query);
    standIn.queries.push(`${name} ${TYPES[type] ?? type}`);
    const how = !limitedTo || limitedTo.includes(name) ? behaviour : 'answer';
    if (how === 'silent') return null;
    if (typeof how === 'object') await sleep(how.slowMs);
    const isKnown = [...zone.keys()].some((key) => key.startsWith(`${name} `));
    const answers = how === 'servfail' ? [] : (zone.get(`${name} ${TYPES[type]}`) ?? []);
    const code = how === 'servfail' ? SERVFAIL : isKnown ? 0 : NXDOMAIN;
    const question = query.subarray(12, end);
    const records = answers.map((data) =>
      // 0xc00c points at the name of the question.
      Buffer.concat([uint16(0xc00c), uint16(type), uint16(1), Buffer.alloc(4), uint16(data.length), data]),
    );
    return Buffer.concat([header(query, code, answers.length), question, ...records]);
  }

  const standIn: DnsStandIn = {
    address: '',
    queries: [],
    overTcp: 0,
    set(name, type, values) {
      const key = `${name.toLowerCase()} ${type}`;
      if (values.length > 0) zone.set(key, values.map(recordData));
      else zone.delete(key);
    },
    publish(...records) {
      for (const { name, type, value, priority = 10 } of records)
        standIn.set(name, type, [type === 'MX' ? { exchange: value, priority } : value]);
    },
    clear: () => zone.clear(),
    behave(how, onlyNames) {
      behaviour = how;
      limitedTo = onlyNames;
    },
    stop: () => new Promise<void>((resolve) => udp.close(() => tcp.close(() => resolve()))),
  };
  const port = await anyFreePort();
  await new Promise<void>((resolve) => tcp.listen(port, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));
  standIn.address = `127.0.0.1:${port}`;
  return standIn;
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query[at]) {
    const length = query[at] as number;
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function header(query: Buffer, code: number, answers: number): Buffer {
  // A response with recursion, to one question.
  return Buffer.concat([query.subarray(0, 2), uint16(0x8180 | code), uint16(1), uint16(answers), uint16(0), uint16(0)]);
}

/** Only the question, marked as cut: the resolver asks again over TCP. */
function truncated(answer: Buffer, query: Buffer): Buffer {
  const cut = Buffer.concat([header(query, 0, 0), query.subarray(12, readQuestion(query).end)]);
  cut.writeUInt16BE(answer.readUInt16BE(2) | 0x0200, 2);
  return cut;
}

function recordData(value: string | { exchange: string; priority: number }): Buffer {
  if (typeof value !== 'string') return Buffer.concat([uint16(value.priority), nameData(value.exchange)]);
  const parts = value.match(/[\s\S]{1,255}/g) ?? [''];
  return Buffer.concat(parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part)])));
}

function nameData(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
