import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../../../core/base/deps.ts';
import { clickToken, openToken } from '../../../core/mail/compose/tokens.ts';
import type { Message } from '../../../core/mail/ledger/model.ts';
import { atOnce } from '../../rig/waiting.ts';

/** A pixel and a link of each message. */
export function trackedPaths(config: Deps['config'], messages: readonly Message[], url: string): string[] {
  return messages.flatMap(({ _id: messageId, projectId }) => [
    `/t/o/${openToken(config, { projectId, messageId })}.gif`,
    `/t/c/${clickToken(config, { projectId, messageId }, url)}`,
  ]);
}

interface Asked {
  answered: number;
  perSecond: number;
  /** From when each was due, whether or not it could be sent by then. */
  delaysMs: number[];
}

const CONNECTIONS = 64;
const HEADERS = 'Host: 127.0.0.1\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0\r\n\r\n';

/** GETs over bare sockets, because a client of the standard library costs more than what it asks. `rate` null: as fast as it is answered. */
export async function ask(
  port: number,
  paths: string[],
  { rate, seconds }: { rate: number | null; seconds: number },
): Promise<Asked> {
  const delaysMs: number[] = [];
  const waiting: number[] = [];
  let sent = 0;
  let isOver = false;
  const idle: Array<(due: number) => void> = [];
  const begun = performance.now();

  const next = (send: (due: number) => void) => {
    const due = rate === null ? performance.now() : waiting.shift();
    if (due === undefined || (rate === null && isOver)) idle.push(send);
    else send(due);
  };
  const sockets = await atOnce(CONNECTIONS, async () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    let rest = '';
    let dueMs = 0;
    const send = (due: number) => {
      dueMs = due;
      sent += 1;
      socket.write(`GET ${paths[sent % paths.length]} HTTP/1.1\r\n${HEADERS}`);
    };
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1');
      const head = rest.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(rest.slice(0, head + 2))?.[1] ?? 0);
      if (rest.length < head + 4 + length) return;
      if (/^HTTP\/1.1 (200|302) /.test(rest)) delaysMs.push(performance.now() - dueMs);
      rest = '';
      next(send);
    });
    return { socket, send };
  });
  const first = performance.now();
  for (const { send } of sockets) next(send);
  for (let due = 0; performance.now() - first < seconds * 1_000; ) {
    await sleep(1);
    if (rate === null) continue;
    for (; due < (performance.now() - first) * (rate / 1_000) && due < rate * seconds; due++) {
      const send = idle.pop();
      const dueAt = first + (due * 1_000) / rate;
      if (send) send(dueAt);
      else waiting.push(dueAt);
    }
  }
  isOver = true;
  while (delaysMs.length < sent && performance.now() - begun < (seconds + 30) * 1_000) await sleep(2);
  const elapsed = (performance.now() - first) / 1_000;
  for (const { socket } of sockets) socket.destroy();
  return { answered: delaysMs.length, perSecond: delaysMs.length / elapsed, delaysMs };
}
