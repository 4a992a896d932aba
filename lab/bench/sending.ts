import type { Figure } from '../rig/results/report.ts';
import { chosen, keep } from './run.ts';
import { accept } from './sending/accept.ts';
import { lane } from './sending/lane.ts';
import { latency } from './sending/latency.ts';
import { type Size, size } from './sending/size.ts';

/**
 * accept: POST /mails/send at 64 connections, and bare single inserts. latency: from the 2xx to the relay's 250 at 50 mails a second.
 * lane: mail that waits already, with DKIM by us and by the relay, and a raw blast. Names among the arguments choose.
 */
for (const [, part] of chosen({ accept, latency, lane: lanes })) keep('sending', await part(size));
process.exit(0);

async function lanes(size: Size): Promise<Figure[]> {
  // A signature costs more than all the rest, so ours are measured on fewer.
  const some = { ...size, backlog: Math.ceil(size.backlog / 5) };
  const own = await lane('automation', 'own', some);
  return [...own, ...(await lane('transactional', 'relay', size)), ...(await lane('automation', 'relay', size))];
}
