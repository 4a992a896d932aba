import { tellCalls } from '../../rig/calls.ts';
import { tell } from '../../rig/check.ts';
import type { Verdict } from '../../rig/drill-results.ts';
import { brokenPromises } from '../../rig/promises.ts';
import type { InstallationTally, ProjectTally } from './installation.ts';

/** A budget may be exceeded for as long as a lease of it that is not renewed. */
const OVER_BUDGET_MS_MAX = 10_000;

/** One line for the installation, and one for each project. */
export function judgeInstallation(tally: InstallationTally): Verdict[] {
  return [judgeWhole(tally), ...tally.projects.map(judgeProject)];
}

function judgeWhole({
  minutes,
  campaigns,
  kills,
  exits,
  startsRepeated,
  looks,
  connections,
  settledSeconds,
}: InstallationTally): Verdict {
  const killed = Object.entries(kills).map(([who, times]) => `${who} ${times}`);
  const { budget, most, longestOverMs } = connections;
  const faulty = [
    ...exits,
    ...(looks.unbalanced > 0 ? [`${looks.unbalanced} looks at counts that do not add up`] : []),
    ...(looks.samples === 0 ? ['no look at the counts'] : []),
    ...(campaigns === 0 ? ['no campaign was sent'] : []),
    ...(longestOverMs > OVER_BUDGET_MS_MAX ? ['too many connections for longer than a lease'] : []),
  ];
  const says = [
    `${minutes} min on three members, four APIs and eight workers: ${campaigns} campaigns, killed ${killed.join(', ') || 'nothing'}${startsRepeated > 0 ? `, ${startsRepeated} starts repeated` : ''}`,
    `${looks.samples} looks at the counts, ${looks.unbalanced} wrong`,
    `connections to the relay: budget ${budget}, at most ${most}, above the budget for ${longestOverMs} ms at most`,
    `settled after ${settledSeconds} s`,
    ...faulty.map((what) => `BUT ${what}`),
  ];
  return { kept: faulty.length === 0, says: says.join(', ') };
}

function judgeProject({ name, promises, calls, meant }: ProjectTally): Verdict {
  const { found, contacts, events } = promises;
  const faulty = brokenPromises(promises, calls, meant);
  const says = [
    `${name}: ${found.mails} mails, ${contacts} contacts, ${events} events`,
    tell(found),
    tellCalls(calls),
    ...faulty.map((what) => `BUT ${what}`),
  ];
  return { kept: faulty.length === 0, says: says.join(', ') };
}
