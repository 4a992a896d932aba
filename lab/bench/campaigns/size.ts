import { parseArgs } from 'node:util';

export const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    recipients: { type: 'string', default: '100000' },
    senders: { type: 'string', default: '1' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '3' },
    sizes: { type: 'string', default: '10000,100000,1000000' },
    /** Another sink than test/support/mail/smtp-sink.ts: a binary that takes -smtp, -http and -delay. */
    sink: { type: 'string' },
    profile: { type: 'string' },
    /** Keeps nothing in lab/results: for trying something out. */
    dry: { type: 'boolean', default: false },
  },
});
const { sink, profile } = values;
export const size = {
  recipients: Number(values.recipients),
  rounds: Array.from({ length: Number(values.rounds) }, (_, round) => round),
  sizes: values.sizes.split(',').map(Number),
  shared: { senders: Number(values.senders), connections: Number(values.connections), sink, profile },
};

export type Size = typeof size;
