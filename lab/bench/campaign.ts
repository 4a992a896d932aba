import { capped } from './campaigns/capped.ts';
import { journal } from './campaigns/journal.ts';
import { freezes } from './campaigns/local-time.ts';
import { meanwhile } from './campaigns/meanwhile.ts';
import { oneHour } from './campaigns/one-hour.ts';
import { pictures } from './campaigns/pictures.ts';
import { size } from './campaigns/size.ts';
import { sizes } from './campaigns/sizes.ts';
import { speed } from './campaigns/speed.ts';
import { speedTable } from './campaigns/table.ts';
import { chosen, keep } from './run.ts';

/**
 * A campaign from the POST that starts it to the relay's last 250, the freeze included: HTML of 4 kB or 0.8 kB with a variable, a tracked
 * link and a pixel, a row in the ledger for each recipient (w: majority). In the same run a raw blast of the same bytes at the same sink,
 * from as many processes over as many connections, and one that keeps a ledger too and does nothing else. The part `speed` ends with a table.
 * Everything runs on this one machine, sink included. Arguments choose among its parts.
 */

const parts = chosen({ speed, journal, meanwhile, sizes, capped, freezes, 'one-hour': oneHour, pictures }, [
  'speed',
  'journal',
  'meanwhile',
]);
for (const [name, part] of parts) {
  const lines = keep('campaign', await part(size));
  if (name === 'speed') console.log(speedTable(lines));
}
process.exit(0);
