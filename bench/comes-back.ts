import { fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import { createConnection } from 'node:net';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../core/domains.ts';
import { drainSignals } from '../core/engagement-buffer.ts';
import type { Message } from '../core/model.ts';
import { clickToken, openToken } from '../core/tracking-tokens.ts';
import { openInboundServer } from '../platform/inbound-server.ts';
import { freePort, startEnvironment } from '../test/environment.ts';

/**
 * What comes back, measured: pixels and clicks at a steady rate with a recount, and inbound mail of 20 kB. One process serves, this one asks.
 * node bench/comes-back.ts [requests a second] [seconds] [inbound mails]
 */
const [RATE = 2_000, SECONDS = 5, MAILS = 1_000] = process.argv.slice(2).map(Number);
const MESSAGES = 2_000;
const MAIL_BYTES = 20_000;
const MAIL_CONNECTIONS = 8;

if (process.argv[2] === 'serve') await serve();
else await measure();

async function serve(): Promise<void> {
  const inboundPort = await freePort();
  const environment = await startEnvironment({
    PUBLIC_RATE_LIMIT: '100000000',
    INBOUND_SMTP_PORT: String(inboundPort),
    DNS_SERVERS: '127.0.0.1:9',
  });
  const { deps, own } = environment;
  const projectId = own.project._id;
  const sentAt = new Date(Date.now() - 60_000);
  const messages = Array.from({ length: MESSAGES }, (_, index): Message => {
    const email = `p${index}@example.com`;
    return { _id: new ObjectId(), projectId, lane: 'campaign', state: 'sent', email, sentAt };
  });
  await deps.db.messages.insertMany(messages);
  const domainName = 'inbound.example.org';
  const _id = new ObjectId();
  await seedVerifiedDomain(deps, own.project, domainName, _id);
  await deps.db.domains.updateOne({ _id, projectId }, { $set: { inboundEnabledAt: new Date() } });
  const door = await openInboundServer(deps);
  const paths = messages.flatMap(({ _id: messageId }) => [
    `/t/o/${openToken(deps.config, { projectId, messageId })}.gif`,
    `/t/c/${clickToken(deps.config, { projectId, messageId }, 'https://example.com/')}`,
  ]);
  process.send?.({ url: environment.url, inboundPort, domainName, paths });
  process.on('message', async (word: string) => {
    if (word === 'rss') return process.send?.({ rss: process.memoryUsage().rss });
    if (word === 'count') {
      await drainSignals(deps, 20_000);
      const [sum] = await deps.db.engagements
        .aggregate([
          { $match: { projectId } },
          {
            $group: {
              _id: null,
              opens: { $sum: '$openCount' },
              clicks: { $sum: '$clickCount' },
              documents: { $sum: 1 },
            },
          },
        ])
        .toArray();
      const inbound = await deps.db.inboundMessages.countDocuments({ projectId });
      return process.send?.({ ...sum, inbound });
    }
    await door.close();
    await environment.stop();
    process.exit(0);
  });
}

async function measure(): Promise<void> {
  const server = fork(import.meta.filename, ['serve']);
  // biome-ignore lint/suspicious/noExplicitAny: what the other half of this file says.
  const hear = () => new Promise<any>((resolve) => server.once('message', resolve));
  const ask = (word: string) => {
    const heard = hear();
    server.send(word);
    return heard;
  };
  const { url, inboundPort, domainName, paths } = await hear();
  await requests(url, paths, 200, 1);
  const before = (await ask('rss')).rss;
  const tracking = await requests(url, paths, RATE, SECONDS);
  const mails = await inbound(inboundPort, domainName);
  const after = (await ask('rss')).rss;
  const counted = await ask('count');
  const asked = tracking.answered + 200;
  console.log(JSON.stringify({ tracking, mails, counted, lost: asked - counted.opens - counted.clicks }));
  console.log(JSON.stringify({ rssMb: [before, after].map((bytes) => Math.round(bytes / 1e6)) }));
  server.send('stop');
}

/** At a steady rate, whether or not earlier ones were answered. */
async function requests(url: string, paths: string[], rate: number, seconds: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const took: number[] = [];
  const all: Promise<void>[] = [];
  const { port } = new URL(url);
  const begun = performance.now();
  for (let sent = 0; sent < rate * seconds; ) {
    const due = Math.min(rate * seconds, Math.floor(((performance.now() - begun) / 1000) * rate));
    for (; sent < due; sent += 1) all.push(one(paths[sent % paths.length] as string));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await Promise.all(all);
  const elapsed = (performance.now() - begun) / 1000;
  agent.destroy();
  took.sort((a, b) => a - b);
  const at = (part: number) => Math.round((took[Math.floor(took.length * part)] ?? 0) * 10) / 10;
  return {
    answered: took.length,
    perSecond: Math.round(took.length / elapsed),
    p50: at(0.5),
    p99: at(0.99),
    max: at(0.9999),
  };

  function one(path: string): Promise<void> {
    const from = performance.now();
    return new Promise((resolve, reject) => {
      const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0' };
      request({ port, host: '127.0.0.1', path, agent, headers }, (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 200 || response.statusCode === 302) took.push(performance.now() - from);
          resolve();
        });
      })
        .on('error', reject)
        .end();
    });
  }
}

async function inbound(port: number, domainName: string) {
  const begun = performance.now();
  let left = MAILS;
  await Promise.all(
    Array.from({ length: MAIL_CONNECTIONS }, async (_, connection) => {
      const session = await openSession(port);
      while (left > 0) {
        left -= 1;
        await session.mail(`x@${domainName}`, `${connection}-${left}`);
      }
      session.end();
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  return { mails: MAILS, perSecond: Math.round(MAILS / seconds), bytes: MAIL_BYTES };
}

async function openSession(port: number) {
  const socket = createConnection({ port, host: '127.0.0.1' });
  let text = '';
  let wake: () => void = () => {};
  socket.on('data', (piece) => {
    text += piece.toString();
    wake();
  });
  const line = async (): Promise<string> => {
    for (;;) {
      const match = /^(\d{3} .*)\r\n/m.exec(text);
      if (match) {
        text = text.slice(match.index + match[0].length);
        return match[1] as string;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const say = (command: string) => {
    socket.write(`${command}\r\n`);
    return line();
  };
  await line();
  await say('EHLO bench.example.net');
  const filler = `${'x'.repeat(76)}\r\n`.repeat(Math.floor(MAIL_BYTES / 78));
  return {
    async mail(to: string, id: string) {
      await say('MAIL FROM:<a@bench.example.net>');
      await say(`RCPT TO:<${to}>`);
      await say('DATA');
      const head = `From: a@bench.example.net\r\nTo: ${to}\r\nSubject: ${id}\r\nMessage-ID: <${id}@bench.example.net>\r\n\r\n`;
      const reply = await say(`${head}${filler}.`);
      if (!reply.startsWith('250')) throw new Error(reply);
    },
    end: () => socket.end('QUIT\r\n'),
  };
}
