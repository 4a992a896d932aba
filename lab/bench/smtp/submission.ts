import { connect } from 'node:net';
import { anyFreePort } from '../../../stack/ports.ts';
import { openDrill, SENDER } from '../../rig/context.ts';
import { microsEach, mongodPid, usageOf } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { atOnce } from '../../rig/waiting.ts';
import { inRounds, keep } from '../run.ts';

/** Mails by SMTP at 64 connections, each to the 250 after its final dot. */
const ROUNDS = 3;
const LOAD: Load = { connections: 64, seconds: 10 };
const WARM_SECONDS = 8;
/** An address has 20 connections. */
const PER_ADDRESS = 16;
const PARAGRAPHS = '<p>A paragraph of a receipt.</p>'.repeat(20);
const DOT = '\r\n.\r\n';

interface Load {
  connections: number;
  seconds: number;
}

keep('submission', await bench());
process.exit(0);

async function bench(): Promise<Figure[]> {
  const drill = await openDrill(process.env);
  const port = await anyFreePort();
  const server = await drill.startWorker({ WORKER_LANES: 'submission', SUBMISSION_PORT: String(port) });
  const mongod = await mongodPid(drill.deps);
  await submit(port, drill.key, { ...LOAD, seconds: WARM_SECONDS });
  const of = await inRounds(ROUNDS, async () => {
    const [before, mongodBefore] = [usageOf(server.pid), usageOf(mongod)];
    const taken = await submit(port, drill.key, LOAD);
    return {
      mails: taken / LOAD.seconds,
      micros: microsEach(before, usageOf(server.pid), taken),
      mongodMicros: microsEach(mongodBefore, usageOf(mongod), taken),
    };
  });
  await drill.close();
  const what = `mails by SMTP at ${LOAD.connections} connections`;
  return [
    figure(what, '/s', of.mails),
    figure(`${what}, CPU of the submission process each`, 'us', of.micros),
    figure(`${what}, CPU of mongod each`, 'us', of.mongodMicros),
  ];
}

/** One mail after the other on each connection, its commands in one write. Resolves with the number of those that were taken. */
async function submit(port: number, key: string, { connections, seconds }: Load): Promise<number> {
  let taken = 0;
  const end = performance.now() + seconds * 1_000;
  const login = `EHLO bench.example\r\nAUTH PLAIN ${Buffer.from(`\0bench\0${key}`).toString('base64')}\r\n`;
  const envelope = 'MAIL FROM:<bench@app.example>\r\nRCPT TO:<ada@in.test>\r\nDATA\r\n';
  const one = (client: number) =>
    new Promise<void>((resolve, reject) => {
      const localAddress = `127.0.0.${2 + Math.floor(client / PER_ADDRESS)}`;
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      let number = 0;
      let rest = '';
      const next = () => {
        if (performance.now() >= end) return socket.end(() => resolve());
        return socket.write(envelope);
      };
      const answer = (line: string) => {
        if (line.startsWith('220 ')) socket.write(login);
        else if (line.startsWith('235 ')) next();
        else if (line.startsWith('354 ')) {
          number += 1;
          socket.write(mailOf(`${process.pid}.${performance.now()}.${client}.${number}`) + DOT);
        } else if (line.startsWith('250 2.0.0 ')) {
          taken += 1;
          next();
        } else if (!line.startsWith('250')) reject(new Error(line));
      };
      socket.setNoDelay(true).on('error', reject);
      socket.on('data', (chunk) => {
        const lines = (rest + chunk.toString('latin1')).split('\r\n');
        rest = lines.pop() ?? '';
        lines.forEach(answer);
      });
    });
  await atOnce(connections, one);
  return taken;
}

function mailOf(id: string): string {
  return [
    ...[`From: Drill <${SENDER}>`, 'To: Ada <ada@in.test>', 'Subject: Hello Ada', `Message-ID: <${id}@app.example>`],
    ...['Date: Mon, 23 Nov 2026 12:00:00 +0000', 'MIME-Version: 1.0', 'Content-Type: text/html; charset=utf-8', ''],
    `<p>Hello Ada</p>${PARAGRAPHS}`,
  ].join('\r\n');
}
