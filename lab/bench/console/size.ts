import { parseArgs } from 'node:util';

export const { values, positionals } = parseArgs({
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

export const size = {
  contacts: Number(values.contacts),
  minutes: Number(values.minutes),
  events: Number(values.events),
  seconds: Number(values.seconds),
  recipients: Number(values.recipients),
  rounds: Array.from({ length: Number(values.rounds) }, (_, round) => round),
};

export type ConsoleSize = typeof size;
