import { parseArgs } from 'node:util';
import { type Figure, report } from '../rig/report.ts';
import { campaign } from './console/campaign.ts';
import { contacts } from './console/contacts.ts';
import { files } from './console/files.ts';
import { heap } from './console/heap.ts';
import { live } from './console/live.ts';
import { previews } from './console/previews.ts';

/**
 * The size of the console's files, the time of a preview of a draft, and its pages in a real Chromium on the same machine: contacts at a
 * million, a running campaign at 200 events a second, its heap over time, and the cost of an open page for a campaign. Arguments choose
 * among `parts`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    contacts: { type: 'string', default: '1000000' },
    /** Of the part heap. */
    minutes: { type: 'string', default: '10' },
    /** A second, published while the page of a campaign is open. */
    events: { type: 'string', default: '200' },
    /** Of each half of a round of the part live. */
    seconds: { type: 'string', default: '20' },
    /** Of the part campaign. */
    recipients: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '3' },
    /** Something else runs on this machine, and the figures say so. */
    busy: { type: 'boolean', default: false },
    /** Keeps nothing in lab/results: for trying something out. */
    dry: { type: 'boolean', default: false },
  },
});

const BUSY = 'the machine was not quiet: other work ran at the same time';
const size = {
  contacts: Number(values.contacts),
  minutes: Number(values.minutes),
  events: Number(values.events),
  seconds: Number(values.seconds),
  recipients: Number(values.recipients),
  rounds: Array.from({ length: Number(values.rounds) }, (_, round) => round),
};
export type ConsoleSize = typeof size;

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
