import { type Figure, report } from '../rig/results/report.ts';
import { campaign } from './console/campaign.ts';
import { contacts } from './console/contacts.ts';
import { files } from './console/files.ts';
import { heap } from './console/heap.ts';
import { live } from './console/live.ts';
import { previews } from './console/previews.ts';
import { type ConsoleSize, positionals, size, values } from './console/size.ts';

/**
 * The size of the console's files, the time of a preview of a draft, and its pages in a real Chromium on the same machine: contacts at a
 * million, a running campaign at 200 events a second, its heap over time, and the cost of an open page for a campaign. Arguments choose
 * among `parts`.
 */

const BUSY = 'the machine was not quiet: other work ran at the same time';

const parts: Record<string, (size: ConsoleSize) => Promise<Figure[]>> = {
  files,
  previews,
  contacts,
  live,
  campaign,
  heap,
};
const unknown = positionals.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0)
  throw new Error(`No such part: ${unknown.join(', ')}. Parts: ${Object.keys(parts).join(', ')}.`);
const chosen = positionals.length > 0 ? positionals : Object.keys(parts);
for (const [name, part] of Object.entries(parts)) if (chosen.includes(name)) keep(await part(size));
process.exit(0);

function keep(figures: Figure[]): void {
  const said = values.busy
    ? figures.map((figure) => ({ ...figure, note: [figure.note, BUSY].filter(Boolean).join('; ') }))
    : figures;
  report('console', said, { isKept: !values.dry });
}
