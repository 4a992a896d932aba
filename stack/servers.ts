import { leaveDataDir, takeDataDir } from './data-dir.ts';
import { newLifetime, stopOnSignals } from './lifetime.ts';
import { say } from './output.ts';
import type { Kept } from './processes/supervise.ts';
import { startServers } from './servers/all.ts';
import { dataDirOf, missingKinds } from './settings.ts';

/** The servers alone, for development and measurements; prints what to export. */
export async function main(): Promise<void> {
  const lifetime = newLifetime();
  stopOnSignals(lifetime);
  const dataDir = dataDirOf(process.env);
  try {
    await takeDataDir(dataDir, say);
    lifetime.add({ stop: async () => leaveDataDir(dataDir) });
    const running: Kept[] = [];
    lifetime.add({ stop: async () => void (await Promise.all(running.map((server) => server.stop()))) });
    const onStarted = (server: Kept) => void running.push(server);
    const kinds = missingKinds(process.env);
    const servers = await startServers({ dataDir, kinds, ports: 'usual', restart: true, say, onStarted });
    for (const [name, value] of Object.entries(servers.environment)) say(`export ${name}='${value}'`);
    if (servers.temporal) say(`# Temporal UI ${servers.temporal.uiUrl}`);
    if (servers.mailbox) say(`# Mailbox ${servers.mailbox.pageUrl}`);
  } catch (error) {
    if (lifetime.stopping) return;
    await lifetime.stop();
    throw error;
  }
}
