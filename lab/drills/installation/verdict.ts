import { tell } from '../../rig/facts/check.ts';
import type { Use } from '../../rig/facts/watch-relay.ts';
import { type Verdict, verdict } from '../../rig/results/drill-results.ts';
import { tellCalls } from '../../rig/traffic/calls.ts';
import { brokenPromises } from '../../rig/traffic/promises.ts';
import type { InstallationTally, ProjectTally } from './installation.ts';

/** As long as the lease of a share of a budget. */
const OVER_BUDGET_MS_MAX = 5_000;
/** A mail counts for a second. */
const OVER_RATE_MS_MAX = OVER_BUDGET_MS_MAX + 1_000;

/** One line for the installation, and one for each project. */
export function judgeInstallation(tally: InstallationTally): Verdict[] {
  return [judgeWhole(tally), ...tally.projects.map(judgeProject)];
}

function judgeWhole(tally: InstallationTally): Verdict {
  const { minutes, campaigns, kills, exits, startsRepeated, looks, relay, settledSeconds } = tally;
  const killed = Object.entries(kills).map(([who, times]) => `${who} ${times}`);
  const { connections, perSecond } = relay;
  const faulty = [
    ...exits,
    ...(looks.unbalanced > 0 ? [`${looks.unbalanced} looks at counts that do not add up`] : []),
    ...(looks.samples === 0 ? ['no look at the counts'] : []),
    ...(campaigns === 0 ? ['no campaign was sent'] : []),
    ...(connections.longestOverMs > OVER_BUDGET_MS_MAX ? ['too many connections for longer than a lease'] : []),
    ...(perSecond.longestOverMs > OVER_RATE_MS_MAX ? ['too many mails a second for longer than a lease'] : []),
  ];
  return verdict(faulty, [
    `${minutes} min on three members, four APIs and eight workers: ${campaigns} campaigns, killed ${killed.join(', ') || 'nothing'}${startsRepeated > 0 ? `, ${startsRepeated} starts repeated` : ''}`,
    `${looks.samples} looks at the counts, ${looks.unbalanced} wrong`,
    `connections ${tellUse(connections)}`,
    `mails a second ${tellUse(perSecond)}`,
    `settled after ${settledSeconds} s`,
  ]);
}

function tellUse({ budget, most, longestOverMs }: Use): string {
  return `at most ${most} of ${budget}${longestOverMs > 0 ? `, above that for ${longestOverMs} ms` : ''}`;
}

function judgeProject({ name, promises, calls, meant }: ProjectTally): Verdict {
  const { found, contacts, events } = promises;
  const faulty = brokenPromises(promises, calls, meant);
  return verdict(faulty, [
    `${name}: ${found.mails} mails, ${contacts} contacts, ${events} events`,
    tell(found),
    tellCalls(calls),
  ]);
}
