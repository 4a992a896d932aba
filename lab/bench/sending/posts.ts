import { connect } from 'node:net';
import { SENDER } from '../../rig/context.ts';
import { atOnce } from '../../rig/waiting.ts';
import type { Size } from './size.ts';

export const MAIL = {
  to: { email: 'ada@in.test', name: 'Ada' },
  from: { email: SENDER, name: 'Drill' },
  subject: 'Hello {{name}}',
  html: `<p>Hello {{name}}</p>${'<p>A paragraph of a receipt.</p>'.repeat(20)}`,
  dynamicData: { name: 'Ada' },
};

export function sendRequest(url: string, key: string): Buffer {
  return postRequest(`${url}/mails/send`, key, MAIL);
}

export function postRequest(url: string, key: string, fields: object): Buffer {
  const { host, pathname } = new URL(url);
  const body = JSON.stringify(fields);
  return Buffer.from(
    `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** One request after the other on each connection; reads no more of an answer than it must. Answers how long each took. */
export async function hammer(
  url: string,
  request: Buffer | (() => Buffer),
  { connections, seconds }: Pick<Size, 'connections' | 'seconds'>,
): Promise<number[]> {
  const { hostname, port } = new URL(url);
  const end = performance.now() + seconds * 1_000;
  const delays: number[] = [];
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => ask());
      let sentAt = 0;
      let rest = '';
      const ask = () => {
        if (performance.now() >= end) return socket.end(() => resolve());
        sentAt = performance.now();
        return socket.write(typeof request === 'function' ? request() : request);
      };
      socket.setNoDelay(true).on('error', reject);
      socket.on('data', (chunk) => {
        rest += chunk.toString('latin1');
        const head = rest.indexOf('\r\n\r\n');
        if (head === -1) return;
        const length = Number(/content-length: (\d+)/i.exec(rest)?.[1] ?? 0);
        if (rest.length < head + 4 + length) return;
        if (!rest.startsWith('HTTP/1.1 200')) return reject(new Error(rest.slice(0, 500)));
        rest = '';
        delays.push(performance.now() - sentAt);
        ask();
      });
    });
  await atOnce(connections, one);
  return delays;
}
