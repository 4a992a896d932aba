import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { quiet } from '../../stack/output.ts';
import { runCommand } from '../../stack/processes/run.ts';
import { type Binary, findBinary } from '../../stack/servers/binaries.ts';
import { mongodBinary } from '../../stack/servers/mongodb.ts';
import { redisBinary } from '../../stack/servers/redis.ts';
import { temporalBinary, temporalSettings } from '../../stack/servers/temporal.ts';
import { settableVariables } from '../support/variables.ts';

interface Service {
  image?: string;
  build?: string;
  pull_policy?: string;
  restart?: string;
  command?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  mem_limit?: string;
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  configs?: { source: string; target: string }[];
}

const root = join(import.meta.dirname, '../..');
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  configs: Record<string, { content: string }>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);

describe('docker-compose.yml', () => {
  it('pins every image to a version', () => {
    for (const [name, { image }] of services) expect(image, name).to.match(/:v?\d+\.\d+(\.\d+)?(-\w+)?$/);
  });

  it('builds our images, which no registry has, without trying to pull them', () => {
    for (const [name, { pull_policy }] of ours) expect(pull_policy, name).to.equal('build');
  });

  it('has a memory limit for every service, and a health check for every one that stays', () => {
    for (const [name, service] of services) {
      expect(service.mem_limit, name).to.match(/^\d+[mg]$/);
      if (service.restart === 'unless-stopped') expect(service.healthcheck?.test, name).to.be.an('array');
    }
  });

  it('names the generations of MongoDB, Redis, Temporal and its Web UI that npm start and npm test run', async () => {
    const [mongod, redis, temporal] = await Promise.all(
      [mongodBinary, redisBinary, temporalBinary].map((binary) => versionOf(binary)),
    );
    expect(generationOf('mongodb')).to.equal(generation(/db version v([\d.]+)/, mongod));
    expect(generationOf('redis')).to.equal(generation(/v=([\d.]+)/, redis));
    const server = generation(/Server ([\d.]+)/, temporal);
    expect(generationOf('temporal')).to.equal(server);
    expect(generationOf('temporal-ui')).to.equal(generation(/UI ([\d.]+)/, temporal));
    for (const name of ['temporal-schema', 'temporal-namespace']) expect(generationOf(name), name).to.equal(server);
  });

  it('gives Temporal the settings that npm start gives it', () => {
    const { environment, configs = [] } = compose.services.temporal ?? {};
    const read = configs.find(({ target }) => target === environment?.DYNAMIC_CONFIG_FILE_PATH);
    const settings = parse(compose.configs[read?.source ?? '']?.content ?? '');
    expect(settings).to.deep.equal(
      Object.fromEntries(Object.entries(temporalSettings).map(([name, value]) => [name, [{ value }]])),
    );
  });

  it('sets only variables that the config schema knows, or that the image has', () => {
    const known = settableVariables();
    expect(ours.map(([name]) => name)).to.have.members(['api', 'worker', 'campaign-worker', 'smtp', 'setup']);
    for (const [name, { environment = {} }] of ours)
      for (const variable of Object.keys(environment))
        expect(known.includes(variable), `${name}: ${variable}`).to.equal(true);
  });

  it('passes on the number of proxies in front of the API, none by default', () => {
    expect(compose.services.api?.environment?.TRUSTED_PROXIES).to.equal('$' + '{TRUSTED_PROXIES:-0}');
  });

  it('runs every lane of the workers', () => {
    const lanes = ours.flatMap(([, { environment }]) => environment?.WORKER_LANES?.split(',') ?? []);
    expect(lanes).to.have.members(['workflows', 'background', 'mail', 'inbound', 'submission', 'campaign']);
  });

  it('waits only for services that exist and that can be waited for', () => {
    for (const [name, { depends_on = {} }] of services)
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const target = compose.services[other];
        expect(target, `${name} waits for ${other}`).to.not.equal(undefined);
        if (condition === 'service_healthy') expect(target?.healthcheck, other).to.not.equal(undefined);
        else expect(target?.restart, other).to.match(/^on-failure/);
      }
  });

  it('keeps data on named volumes that are declared', () => {
    const used = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]));
    expect(Object.keys(compose.volumes)).to.have.members([...new Set(used)]);
  });
});

/** The output of the embedded default, whatever this machine has installed. */
async function versionOf(binary: Binary): Promise<string> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const PATH = folders.filter((folder) => !existsSync(join(folder, binary.command))).join(delimiter);
  const path = await findBinary(binary, { ...process.env, PATH, [binary.variable]: '' }, quiet);
  return (await runCommand(path, ['--version'], process.env)).stdout;
}

/** Major and minor. */
function generation(pattern: RegExp, text = ''): string {
  const [, version = ''] = pattern.exec(text) ?? [];
  expect(version, text).to.match(/^\d+\.\d+/);
  return version.split('.', 2).join('.');
}

function generationOf(service: string): string {
  return generation(/:([\d.]+)(?:-\w+)?$/, compose.services[service]?.image);
}
