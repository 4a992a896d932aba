import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SinkClient, type Stoppable, setModes, startSink } from '../sink.ts';
import { repeatedly } from '../waiting.ts';
import { type Cable, noFaults, startProxy } from './proxy.ts';

const LOOK_EVERY_MS = 15;

/** One of two relays, behind a network that can be disturbed. */
export interface DrillRelay {
  cutOff(): void;
  connect(): void;
  /** It says 421 to everything. */
  refuse(): Promise<void>;
  welcome(): Promise<void>;
  /** Messages that it took. */
  taken(): Promise<number>;
}

export interface TwoRelays {
  relays: [DrillRelay, DrillRelay];
  /** Both as one: its URL names both, and it answers for both. */
  together: SinkClient & Stoppable;
  /** The longest time since the last call in which neither of them took a message. */
  longestGapMs(): number;
}

/** `parameters` of the URLs: priorities or weights. */
export async function startTwoRelays(ackMs: number, parameters: readonly [string, string]): Promise<TwoRelays> {
  const sinks = await Promise.all([startSink(ackMs), startSink(ackMs)]);
  const cables = await Promise.all(sinks.map(({ smtpUrl }) => startProxy(Number(new URL(smtpUrl).port))));
  const evidence = await startEvidence(sinks);
  const stats = () => Promise.all(sinks.map((sink) => sink.stats()));
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  const gaps = watchGaps(async () => total((await stats()).map(({ messages }) => messages)));
  const relays = sinks.map((sink, index) => relayOf(sink, cables[index]!));
  return {
    relays: [relays[0]!, relays[1]!],
    longestGapMs: gaps.longestMs,
    together: {
      smtpUrl: cables.map(({ port }, index) => `smtp://127.0.0.1:${port}?${parameters[index]}`).join(','),
      evidenceUrl: evidence.url,
      async ids() {
        const ids = new Map<string, number>();
        for (const one of await Promise.all(sinks.map((sink) => sink.ids())))
          for (const [id, count] of one) ids.set(id, (ids.get(id) ?? 0) + count);
        return ids;
      },
      async stats() {
        const both = await stats();
        return {
          messages: total(both.map(({ messages }) => messages)),
          unique: total(both.map(({ unique }) => unique)),
          lastSecond: total(both.map(({ lastSecond }) => lastSecond)),
          connectionsOpen: total(both.map(({ connectionsOpen }) => connectionsOpen)),
          connectionsMost: total(both.map(({ connectionsMost }) => connectionsMost)),
          perSecondMost: total(both.map(({ perSecondMost }) => perSecondMost)),
        };
      },
      stop() {
        gaps.stop();
        evidence.stop();
        for (const one of [...cables, ...sinks]) one.stop();
      },
    },
  };
}

function relayOf(sink: SinkClient, cable: Cable): DrillRelay {
  const set = (modes: object) => setModes(sink, modes);
  return {
    cutOff: () => cable.set({ isOff: true }),
    connect: () => cable.set(noFaults()),
    refuse: () => set({ greeting: '421 4.3.2 shutting down', mailReply: '421 4.3.2 shutting down' }),
    welcome: () => set({ greeting: '220 sink ESMTP', mailReply: null }),
    taken: async () => (await sink.stats()).messages,
  };
}

/** A relay has a Message-ID when one of them has it. */
async function startEvidence(sinks: readonly SinkClient[]): Promise<{ url: string } & Stoppable> {
  const ask = async (query: string) => {
    const asked = sinks.map(async ({ evidenceUrl }) => (await fetch(`${evidenceUrl}${query}`)).json());
    const answers = (await Promise.all(asked)) as Array<{ accepted: boolean }>;
    return JSON.stringify({ accepted: answers.some(({ accepted }) => accepted) });
  };
  const server = createServer(({ url = '/' }, response) => {
    ask(new URL(url, 'http://relays').search).then(
      (answer) => response.writeHead(200, { 'content-type': 'application/json' }).end(answer),
      () => response.writeHead(503).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/evidence`, stop: () => server.close() };
}

function watchGaps(count: () => Promise<number>): { longestMs(): number } & Stoppable {
  let longestMs = 0;
  let since = performance.now();
  let before = 0;
  const stopLooking = repeatedly(LOOK_EVERY_MS, async () => {
    const now = await count().catch(() => before);
    if (now > before) {
      longestMs = Math.max(longestMs, performance.now() - since);
      since = performance.now();
    }
    before = now;
  });
  return {
    longestMs() {
      const longest = Math.max(longestMs, performance.now() - since);
      longestMs = 0;
      since = performance.now();
      return longest;
    },
    stop: () => void stopLooking(),
  };
}
