import { expect } from 'chai';
import { HOLD_MS_MAX } from '../linear/cpu.ts';
import { corpus } from './corpus.ts';
import { type Doors, openDoors } from './doors.ts';
import { casesOf, sampleOf } from './everything.ts';
import { type Case, describeJudged, judge } from './judge.ts';
import { operations } from './operations.ts';
import { type Stage, startStage } from './stage.ts';

/** As many as take less than 30 s of CPU time, with what they are made of and the corpus. */
const LARGE = 15;
const SMALL = 10;
const seed = Number(process.env.FUZZ_SEED ?? 0);

/** The drill `fuzz` tries the whole. */
describe('Everything at its maximum at once', function () {
  this.timeout(600_000);
  let stage: Stage;
  let doors: Doors;
  before(async () => {
    stage = await startStage();
    doors = await openDoors(stage);
  });
  after(async () => {
    await doors.stop();
    await stage.stop();
  });

  async function hold(cases: Case[]): Promise<void> {
    const faults: string[] = [];
    for (const one of cases) {
      const judged = await judge(one);
      if (process.env.SHOW_JUDGED) console.log(describeJudged(judged));
      if (judged.faults.length > 0) faults.push(describeJudged(judged));
    }
    expect(faults).to.deep.equal([]);
  }

  it(`holds no event loop for ${HOLD_MS_MAX} ms, costs at most twice as much for twice as much, and is answered: a sample`, async () => {
    expect(operations.length).to.be.above(150);
    const { large, small } = casesOf(stage, doors, { seed, shapes: 1, isWhole: false });
    await hold([...sampleOf(large, seed, LARGE), ...sampleOf(small, seed, SMALL)]);
  });

  it(`holds no event loop for ${HOLD_MS_MAX} ms in any form that did once`, () => hold(corpus(stage)));
});
