import { type Figure, report } from '../rig/results/report.ts';
import { journal } from './campaigns/journal.ts';
import { meanwhile } from './campaigns/meanwhile.ts';
import { positionals, size, values } from './campaigns/size.ts';
import { sizes } from './campaigns/sizes.ts';
import { speed } from './campaigns/speed.ts';

/**
 * A campaign from the POST that starts it to the relay's last 250, the freeze included: HTML of 4 kB or 0.8 kB with a variable, a tracked
 * link and a pixel, a row in the ledger for each recipient (w: majority). In the same run a raw blast of the same bytes at the same sink,
 * from as many processes over as many connections, and one that keeps a ledger too and does nothing else.
 * Everything runs on this one machine, sink included. Arguments choose among `parts`.
 */

const parts = { speed, journal, meanwhile, sizes };
const chosen = positionals.length > 0 ? positionals : ['speed', 'journal', 'meanwhile'];
for (const [name, part] of Object.entries(parts)) if (chosen.includes(name)) keep(await part(size));
process.exit(0);

function keep(figures: Figure[]): void {
  report('campaign', figures, { isKept: !values.dry });
}
