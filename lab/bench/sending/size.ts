import { parseArgs } from 'node:util';

export const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    /** Of each half of a round. */
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '64' },
    backlog: { type: 'string', default: '100000' },
    /** own, relay, or both. */
    signing: { type: 'string', default: 'both' },
    /** transactional, automation, or both. */
    waiting: { type: 'string', default: 'both' },
    /** Keeps nothing in lab/results: for trying something out. */
    dry: { type: 'boolean', default: false },
    /** Profiles of the process that is measured are written there. */
    profile: { type: 'string' },
  },
});
const profile: Record<string, string> = values.profile
  ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${values.profile}` }
  : {};
export const size = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  connections: Number(values.connections),
  backlog: Number(values.backlog),
  profile,
  isKept: !values.dry,
};

export type Size = typeof size;
