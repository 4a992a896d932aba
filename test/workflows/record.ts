/** npm run histories: records the runs of scenarios.ts that have no history yet, and leaves the others alone. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { startServers } from '../../stack/servers/all.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { openStage } from './support.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'test', 'histories');
const fileOf = ({ type, name }: Scenario) => join(folder, type, `${name}.json`);
const missing = scenarios.filter((scenario) => !existsSync(fileOf(scenario)));

if (missing.length === 0) console.log('Every scenario has its history.');
else await record();

async function record(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'everpost-histories-'));
  const servers = await startServers({ dataDir, kinds: ['temporal'], say: console.log });
  try {
    for (const scenario of missing) {
      const stage = await openStage(scenario.activities, servers.environment.TEMPORAL_ADDRESS);
      const handle = await scenario.run(stage);
      const history = historyToJSON(await handle.fetchHistory());
      await stage.stop();
      mkdirSync(dirname(fileOf(scenario)), { recursive: true });
      // Stack traces name the folder of the recording checkout.
      writeFileSync(fileOf(scenario), `${history.trim().replaceAll(root, '/everpost')}\n`);
      console.log(`recorded ${scenario.type}/${scenario.name}`);
    }
  } finally {
    await servers.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
