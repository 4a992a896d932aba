import { parseArgs } from 'node:util';
import { accept } from './sending/accept.ts';
import { lane } from './sending/lane.ts';
import { latency } from './sending/latency.ts';

/**
 * accept: POST /mails/send at 64 connections, and bare single inserts. latency: from the 2xx to the relay's 250 at 50 mails a second.
 * lane: bulk mail that is queued already, with DKIM by us and by the relay, and a raw blast. Names among the arguments choose.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    /** Of each half of a round. */
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '64' },
    backlog: { type: 'string', default: '100000' },
    /** own, relay, or both. */
    signing: { type: 'string', default: 'both' },
    /** Profiles of the process that is measured are written there. */
    profile: { type: 'string' },
  },
});
const chosen = positionals.length > 0 ? positionals : ['accept', 'latency', 'lane'];
const profile: Record<string, string> = values.profile
  ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${values.profile}` }
  : {};
const size = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  connections: Number(values.connections),
  backlog: Number(values.backlog),
  profile,
};

if (chosen.includes('accept')) await accept(size);
if (chosen.includes('latency')) await latency(size);
if (chosen.includes('lane'))
  for (const signing of ['own', 'relay'] as const)
    if ([signing, 'both'].includes(values.signing)) {
      // A signature costs more than all the rest, so ours are measured on fewer.
      const backlog = signing === 'own' ? Math.ceil(size.backlog / 5) : size.backlog;
      await lane(signing, { ...size, backlog });
    }
process.exit(0);

export type Size = typeof size;
