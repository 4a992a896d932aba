import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { variableName, variables } from '../schemas/config.ts';

interface Service {
  image?: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  mem_limit?: string;
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
}

const root = join(import.meta.dirname, '..');
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);

describe('docker-compose.yml', () => {
  it('pins every image to a version', () => {
    for (const [name, { image }] of services) expect(image, name).to.match(/:v?\d+\.\d+(\.\d+)?(-\w+)?$/);
  });

  it('has a health check and a memory limit for every service that stays', () => {
    for (const [name, service] of services) {
      expect(service.mem_limit, name).to.match(/^\d+[mg]$/);
      if (name !== 'setup') expect(service.healthcheck?.test, name).to.be.an('array');
    }
  });

  it('sets only variables that the config schema knows', () => {
    const known = new Set(Object.keys(variables).map(variableName));
    expect(ours.map(([name]) => name)).to.have.members(['api', 'worker', 'campaign-worker', 'setup']);
    for (const [name, { environment = {} }] of ours)
      for (const variable of Object.keys(environment))
        expect(known.has(variable), `${name}: ${variable}`).to.equal(true);
  });

  it('passes on how many proxies stand in front of the API, none unless it is said', () => {
    expect(compose.services.api?.environment?.TRUSTED_PROXIES).to.equal('$' + '{TRUSTED_PROXIES:-0}');
  });

  it('runs every lane of the workers', () => {
    const lanes = ours.flatMap(([, { environment }]) => environment?.WORKER_LANES?.split(',') ?? []);
    expect(lanes).to.have.members(['workflows', 'background', 'mail', 'inbound', 'campaign']);
  });

  it('waits only for services that exist and that can be waited for', () => {
    for (const [name, { depends_on = {} }] of services)
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const target = compose.services[other];
        expect(target, `${name} waits for ${other}`).to.not.equal(undefined);
        if (condition === 'service_healthy') expect(target?.healthcheck, other).to.not.equal(undefined);
      }
  });

  it('keeps data on named volumes that are declared', () => {
    const used = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]));
    expect(Object.keys(compose.volumes)).to.have.members([...new Set(used)]);
  });
});
