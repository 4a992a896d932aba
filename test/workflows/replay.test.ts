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
  this.timeout(60_000);
  before(() => installTemporalRuntime(silent));

  for (const name of histories)
    it(`${name} is replayed by the workflow code of today`, async () => {
      expect(await replayFault(read(name))).to.equal(null);
    });

  it('there is one for each type of workflow', () => {
    const recorded = new Set(histories.map((name) => name.split('/')[0]));
    expect(Object.keys(workflows).filter((type) => !recorded.has(type))).to.deep.equal([]);
  });

  it('a run that the code would not make is noticed', async () => {
    const other = read('domainCheck/verified-at-once.json').replaceAll('checkDomainRecords', 'somethingElse');
    expect(await replayFault(other)).to.match(/TMPRL1100|Nondeterminism|DeterminismViolation/i);
  });
});

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

async function replayFault(json: string): Promise<string | null> {
  const history = historyFromJSON(JSON.parse(json));
  const replays = Worker.runReplayHistories({ workflowBundle: await workflowBundle(silent) }, [
    { workflowId: 'replayed', history },
  ]);
  for await (const { error } of replays) if (error) return `${error.name}: ${error.message}`;
  return null;
}
