import { expect } from 'chai';
import type { InstallationTally, ProjectTally } from '../../lab/drills/installation/installation.ts';
import { judgeInstallation } from '../../lab/drills/installation/verdict.ts';
import { noCalls } from '../../lab/rig/calls.ts';
import { check } from '../../lab/rig/check.ts';
import { inRounds } from '../../lab/rig/kills.ts';
import { watchConnections } from '../../lab/rig/watch-connections.ts';

const found = check({
  sink: new Map([['<1>', 1]]),
  rows: [{ id: '1', messageId: '<1>', state: 'sent', isDueLater: false }],
  acknowledged: ['1'],
  campaigns: [],
});
const project: ProjectTally = {
  name: 'North',
  promises: { found, contactsLost: 0, eventsLost: 0, eventsDoubled: 0, contacts: 3, events: 2 },
  calls: { ...noCalls(), answered: 9, unavailable: 2 },
  meant: { refused: 0, deferred: 0 },
};
const good: InstallationTally = {
  ...{ minutes: 10, projects: [project, project], campaigns: 4, kills: { worker: 3 }, exits: [] },
  ...{ startsRepeated: 1, settledSeconds: 40 },
  looks: { samples: 20, unbalanced: 0 },
  connections: { budget: 16, most: 18, longestOverMs: 9_000 },
};
const isKept = (change: Partial<InstallationTally>) =>
  judgeInstallation({ ...good, ...change }).every(({ kept }) => kept);

describe('The drill of an installation', () => {
  it('notices one lost, repeated or unknown mail of one project, an answer 500, and counts that do not add up', () => {
    const { promises, calls } = project;
    const faults: Array<Partial<ProjectTally>> = [
      ...[{ lost: 1 }, { duplicates: 1 }, { unknown: 1 }, { refused: 1 }, { deferred: 1 }, { unbalanced: 1 }].map(
        (change) => ({ promises: { ...promises, found: { ...found, ...change } } }),
      ),
      ...[{ contactsLost: 1 }, { eventsDoubled: 1 }].map((change) => ({ promises: { ...promises, ...change } })),
      { calls: { ...calls, wrong: new Map([['500 INTERNAL_ERROR', 1]]) } },
    ];
    expect(isKept({})).to.equal(true);
    expect(faults.filter((fault) => isKept({ projects: [project, { ...project, ...fault }] }))).to.deep.equal([]);
  });

  it('notices a process that ended by itself, connections above the budget for longer than a lease, and that it saw nothing', () => {
    const faults: Array<Partial<InstallationTally>> = [
      ...[{ exits: ['api 1 ended (exit code 1)'] }, { campaigns: 0 }],
      ...[{ looks: { samples: 0, unbalanced: 0 } }, { looks: { samples: 20, unbalanced: 1 } }],
      { connections: { budget: 16, most: 17, longestOverMs: 10_001 } },
    ];
    expect(faults.filter(isKept)).to.deep.equal([]);
  });

  it('measures the longest time above the budget from the first look to the last one without a pause', async () => {
    const open = [3, 9, 9, 9, 3, 9, 3];
    const seen = watchConnections(
      {
        async stats() {
          const connectionsOpen = open.shift() ?? 3;
          return { messages: 0, unique: 0, connectionsOpen, connectionsMost: 9, perSecondMost: 0 };
        },
      },
      8,
    );
    while (open.length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const { most, longestOverMs } = await seen.stop();
    expect(most).to.equal(9);
    // Three looks are two pauses apart, one look is no time at all.
    expect(longestOverMs).to.be.greaterThan(80);
  });

  it('strikes each victim once before it strikes one again', () => {
    const victims = ['worker', 'api', 'primary', 'redis'];
    const rounds = inRounds(victims);
    for (let round = 0; round < 5; round += 1) {
      const struck = victims.map(() => String(rounds.next().value));
      expect(struck.sort()).to.deep.equal(victims.toSorted());
    }
  });
});
