import { expect } from 'chai';
import type { InstallationTally, ProjectTally } from '../../lab/drills/installation/installation.ts';
import { judgeInstallation } from '../../lab/drills/installation/verdict.ts';
import { check } from '../../lab/rig/facts/check.ts';
import { watchRelay } from '../../lab/rig/facts/watch-relay.ts';
import { inRounds } from '../../lab/rig/faults/kills.ts';
import { noStats } from '../../lab/rig/sink.ts';
import { noCalls } from '../../lab/rig/traffic/calls.ts';

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
  relay: {
    connections: { budget: 16, most: 18, longestOverMs: 4_900 },
    perSecond: { budget: 150, most: 190, longestOverMs: 5_900 },
  },
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

  it('notices a process that ended by itself, a budget that is exceeded, and a run without a look or a campaign', () => {
    const faults: Array<Partial<InstallationTally>> = [
      ...[{ exits: ['api 1 ended (exit code 1)'] }, { campaigns: 0 }],
      ...[{ looks: { samples: 0, unbalanced: 0 } }, { looks: { samples: 20, unbalanced: 1 } }],
      { relay: { ...good.relay, connections: { ...good.relay.connections, longestOverMs: 5_001 } } },
      { relay: { ...good.relay, perSecond: { ...good.relay.perSecond, longestOverMs: 6_001 } } },
    ];
    expect(faults.filter(isKept)).to.deep.equal([]);
  });

  it('measures the longest time above a budget from the first look to the last one without a pause', async () => {
    const open = [3, 9, 9, 9, 3, 9, 3];
    const stats = async () => ({ ...noStats, connectionsOpen: open.shift() ?? 3, connectionsMost: 9, lastSecond: 108 });
    const seen = watchRelay({ stats }, { connections: 8, perSecond: 100 });
    while (open.length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const { connections, perSecond } = await seen.stop();
    expect(connections.most).to.equal(9);
    // Three looks are two pauses apart, one look is no time at all.
    expect(connections.longestOverMs).to.be.greaterThan(80);
    // Of 108 mails three may have begun on open connections before, and five are the fractions of shares.
    expect(perSecond.longestOverMs).to.equal(0);
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
