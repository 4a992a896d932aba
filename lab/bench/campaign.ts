import { parseArgs } from 'node:util';
import { type Figure, report } from '../rig/report.ts';
import { journal } from './campaigns/journal.ts';
import { meanwhile } from './campaigns/meanwhile.ts';
import { sizes } from './campaigns/sizes.ts';
import { speed } from './campaigns/speed.ts';

/**
 * A campaign from the POST that starts it to the relay's last 250, the freeze included: HTML of 4 kB or 0.8 kB with a variable, a tracked
 * link and a pixel, a row in the ledger for each recipient (w: majority). In the same run a raw blast of the same bytes at the same sink,
 * from as many processes over as many connections, and one that keeps a ledger too and does nothing else.
 * Everything runs on this one machine, sink included. Arguments choose among `parts`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    recipients: { type: 'string', default: '100000' },
    senders: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '3' },
    sizes: { type: 'string', default: '10000,100000,1000000' },
    /** Another sink than test/support/smtp-sink.ts: a binary that takes -smtp, -http and -delay. */
    sink: { type: 'string' },
    profile: { type: 'string' },
    /** Keeps nothing in lab/results: for trying something out. */
    dry: { type: 'boolean', default: false },
  },
});
const { sink, profile } = values;
const size = {
  recipients: Number(values.recipients),
  rounds: Array.from({ length: Number(values.rounds) }, (_, round) => round),
  sizes: values.sizes.split(',').map(Number),
  shared: { senders: Number(values.senders), connections: Number(values.connections), sink, profile },
};
export type Size = typeof size;

const parts = { speed, journal, meanwhile, sizes };
const chosen = positionals.length > 0 ? positionals : ['speed', 'journal', 'meanwhile'];
for (const [name, part] of Object.entries(parts)) if (chosen.includes(name)) keep(await part(size));
process.exit(0);

function keep(figures: Figure[]): void {
  report('campaign', figures, { isKept: !values.dry });
}
