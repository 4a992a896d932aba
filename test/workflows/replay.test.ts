// Promise: recorded histories replay.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { expect } from 'chai';
import { installTemporalRuntime } from '../../platform/temporal-native.ts';
import { workflowBundle } from '../../workers/temporal.ts';
import * as workflows from '../../workflows/index.ts';
import { silent } from './support.ts';

const folder = join(import.meta.dirname, '..', 'histories');
const histories = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));

describe('Recorded runs', function () {
  this.timeout(180_000);
  let faults: Map<string, string | null>;
  before(async () => {
    installTemporalRuntime(silent);
    faults = await replayFaults(histories.map((name) => [name, read(name)]));
  });

  for (const name of histories)
    it(`${name} is replayed by the workflow code of today`, () => {
      expect(faults.get(name)).to.equal(null);
    });

  it('there is one for each type of workflow', () => {
    const recorded = new Set(histories.map((name) => name.split('/')[0]));
    expect(Object.keys(workflows).filter((type) => !recorded.has(type))).to.deep.equal([]);
  });

  it('a run that the code would not make is noticed', async () => {
    const other = read('domainCheck/verified-at-once.json').replaceAll('checkDomainRecords', 'somethingElse');
    expect((await replayFaults([['other', other]])).get('other')).to.match(
      /TMPRL1100|Nondeterminism|DeterminismViolation/i,
    );
  });
});

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

/** By one worker: each compiles the code of all workflows. */
async function replayFaults(runs: [name: string, json: string][]): Promise<Map<string, string | null>> {
  const bundle = await workflowBundle(silent, process.env.WORKFLOW_BUNDLE);
  const replays = Worker.runReplayHistories(
    { workflowBundle: bundle },
    runs.map(([workflowId, json]) => ({ workflowId, history: historyFromJSON(JSON.parse(json)) })),
  );
  const faults = new Map<string, string | null>();
  for await (const { workflowId, error } of replays)
    faults.set(workflowId, error ? `${error.name}: ${error.message}` : null);
  return faults;
}
