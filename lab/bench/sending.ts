import { accept } from './sending/accept.ts';
import type { WaitingLane } from './sending/backlog.ts';
import { lane } from './sending/lane.ts';
import { latency } from './sending/latency.ts';
import { positionals, size, values } from './sending/size.ts';

/**
 * accept: POST /mails/send at 64 connections, and bare single inserts. latency: from the 2xx to the relay's 250 at 50 mails a second.
 * lane: mail that waits already, with DKIM by us and by the relay, and a raw blast. Names among the arguments choose.
 */
const chosen = positionals.length > 0 ? positionals : ['accept', 'latency', 'lane'];
if (chosen.includes('accept')) await accept(size);
if (chosen.includes('latency')) await latency(size);
if (chosen.includes('lane')) await lanes();
process.exit(0);

async function lanes(): Promise<void> {
  // A signature costs more than all the rest, so ours are measured on fewer.
  const some = { ...size, backlog: Math.ceil(size.backlog / 5) };
  if (['own', 'both'].includes(values.signing)) await lane('automation', 'own', some);
  if (values.signing === 'own') return;
  for (const waiting of waitingLanes()) await lane(waiting, 'relay', size);
}

function waitingLanes(): WaitingLane[] {
  return (['transactional', 'automation'] as const).filter((one) => [one, 'both'].includes(values.waiting));
}
