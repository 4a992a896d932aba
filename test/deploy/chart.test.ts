import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { fullPath } from '../../api/http/endpoint.ts';
import { endpointTable } from '../../api/http/table.ts';
import { readConfig } from '../../platform/config.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { chartSchema } from '../../scripts/chart-schema.ts';
import { roles as ofProcesses, type Role } from '../../workers/roles.ts';
import { prefixed } from '../../workflows/names.ts';
import { type Manifest, renderChart } from '../support/helm.ts';
import { settableVariables } from '../support/variables.ts';
import { byKind, podOf } from './manifests.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'deploy/helm/everpost');
const everything = {
  image: { tag: '0.1.0-test' },
  imagePullSecrets: [{ name: 'registry' }],
  config: { TASK_QUEUE_PREFIX: 'other', RATE_LIMIT: 1_000 },
  roles: { inbound: { tlsSecret: 'mx' }, submission: { tlsSecret: 'smtp', service: { type: 'LoadBalancer' } } },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'web', annotations: { 'example.com/a': 'b' } },
  autoscaling: { enabled: true },
  podMonitor: { enabled: true },
  networkPolicy: { enabled: true },
  dots: { hostPath: '/var/lib/everpost/dots' },
  nodeSelector: { disk: 'fast' },
  podAnnotations: { 'example.com/team': 'mail' },
};

describe('The Helm chart', () => {
  const roles = ['api', ...Object.keys(ofProcesses)];
  const plain = renderChart(folder);
  const full = renderChart(folder, everything);

  it('has a Deployment for each role and no other, each with the command of its process', () => {
    const deployments = byKind(plain, 'Deployment');
    expect(deployments.map(({ metadata }) => metadata.name)).to.have.members(roles.map((role) => `mail-${role}`));
    for (const { metadata, spec } of deployments) {
      const { args, env } = podOf({ metadata, spec }).container;
      const lane = env.find(({ name }) => name === 'WORKER_LANES')?.value;
      if (metadata.name === 'mail-api') expect([args, lane]).to.deep.equal([undefined, undefined]);
      else expect([args?.at(-1), `mail-${lane}`]).to.deep.equal(['workers/main.ts', metadata.name]);
      expect(spec.replicas, metadata.name).to.be.at.least(1);
    }
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).to.match(/CMD \[.*"api\/main.ts"\]/);
  });

  it('leaves out a role with no replicas, with all that belongs to it', () => {
    const names = renderChart(folder, { roles: { inbound: { replicas: 0 } } }).map(({ metadata }) => metadata.name);
    expect(names).to.include('mail-submission').and.not.include('mail-inbound');
  });

  it('sets only variables that the config schema knows, or that the image has, each once, to values that a process accepts', () => {
    const known = settableVariables();
    for (const manifest of [...withPods(plain), ...withPods(full)]) {
      const { env } = podOf(manifest).container;
      const names = env.map(({ name }) => name);
      expect(known, manifest.metadata.name).to.include.members(names);
      expect(new Set(names).size, manifest.metadata.name).to.equal(names.length);
      const values = env.map(({ name, value }) => [name, value ?? `from-the-secret://${name.toLowerCase()}`]);
      expect(() => readConfig(Object.fromEntries(values)), manifest.metadata.name).to.not.throw();
    }
  });

  it('gives the memory of large mails back as docker-compose.yml does', () => {
    const name = 'MALLOC_MMAP_THRESHOLD_';
    const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
    const { WORKER_LANES, [name]: threshold } = compose.services.smtp.environment;
    expect(threshold).to.match(/^\d+$/);
    const setBy = byKind(plain, 'Deployment').filter((one) =>
      podOf(one).container.env.some((variable) => variable.name === name && variable.value === threshold),
    );
    const roles = WORKER_LANES.split(',').map((role: string) => `mail-${role}`);
    expect(setBy.map(({ metadata }) => metadata.name)).to.have.members(roles);
  });

  it('takes passwords and keys from the Secret alone, and all that a process cannot do without', () => {
    for (const manifest of [...withPods(plain), ...withPods(full)]) {
      const secret = podOf(manifest).container.env.filter(({ valueFrom }) => valueFrom !== undefined);
      expect(secret.map(({ name, valueFrom }) => [name, valueFrom?.secretKeyRef])).to.deep.equal(
        ['SECRET_KEYS', 'MONGODB_URL', 'REDIS_URL', 'SMTP_URL'].map((key) => [key, { name: 'everpost', key }]),
      );
    }
    expect(plain.some(({ kind }) => kind === 'Secret')).to.equal(false);
  });

  it('runs without root, capabilities and a file system that can be written, but for the folders of its volumes', () => {
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).to.match(/^USER node$/m);
    for (const manifest of [...withPods(plain), ...withPods(full)]) {
      const { pod, container } = podOf(manifest);
      expect(pod, 'Kubernetes adds variables for services of the namespace').to.include({ enableServiceLinks: false });
      expect(pod.securityContext).to.deep.include({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
      expect(container.securityContext).to.deep.include({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        capabilities: { drop: ['ALL'] },
      });
      const volumes = pod.volumes.map(({ name }) => name);
      expect(container.volumeMounts.map(({ name }) => name)).to.have.members(volumes);
      const { dataDir } = readConfig({ DATA_DIR: container.env.find(({ name }) => name === 'DATA_DIR')?.value });
      expect(container.volumeMounts.map(({ mountPath }) => mountPath)).to.include.members([dataDir, '/tmp']);
      if (manifest.kind === 'Deployment')
        expect(container.volumeMounts.map(({ mountPath }) => mountPath)).to.include(join(dataDir, 'dots'));
      expect(container.resources.limits?.memory, manifest.metadata.name).to.match(/^\d+[MG]i$/);
    }
  });

  it('gives a process longer to stop than it takes', () => {
    const ms = (file: string, name: string) => {
      const [, digits = ''] = new RegExp(`${name} = ([\\d_]+)`).exec(readFileSync(join(root, file), 'utf8')) ?? [];
      return Number(digits.replaceAll('_', '')) || Number.NaN;
    };
    const worker = ms('workers/main.ts', 'STOP_MS');
    const api = ms('api/main.ts', 'DRAIN_MS') + ms('api/main.ts', 'SIGNALS_STOP_MS') + ms('api/app.ts', 'STOP_MS');
    expect(worker).to.be.above(0);
    expect(api).to.be.above(worker / 2);
    for (const manifest of byKind(plain, 'Deployment')) {
      const { pod, container } = podOf(manifest);
      const command = container.lifecycle?.preStop.exec.command ?? ['sleep', '0'];
      const needed = Number(command[1]) * 1_000 + Math.max(worker, api);
      expect(pod.terminationGracePeriodSeconds * 1_000, manifest.metadata.name).to.be.above(needed);
      const hasService = byKind(plain, 'Service').some(({ metadata }) => metadata.name === manifest.metadata.name);
      expect(container.lifecycle !== undefined, manifest.metadata.name).to.equal(hasService);
    }
  });

  it('has selectors that find the pods of one role, and ports that these pods have', () => {
    const deployments = byKind(full, 'Deployment');
    const found = (selector: Record<string, string>) =>
      withPods(full).filter(({ spec }) =>
        Object.entries(selector).every(([key, value]) => spec.template.metadata.labels[key] === value),
      );
    for (const { spec } of deployments) expect(found(spec.selector.matchLabels)).to.have.length(1);
    for (const { metadata, spec } of [...byKind(full, 'PodDisruptionBudget'), ...byKind(full, 'NetworkPolicy')])
      expect(
        found((spec.selector ?? spec.podSelector).matchLabels).map((one) => one.metadata.name),
        metadata.name,
      ).to.deep.equal([metadata.name]);
    for (const service of byKind(full, 'Service')) {
      const [target, ...others] = found(service.spec.selector);
      expect(others).to.deep.equal([]);
      const ports = podOf(target as Manifest).container.ports.map(({ name }) => name);
      expect(ports).to.include.members(service.spec.ports.map(({ targetPort }: { targetPort: string }) => targetPort));
      const policy = byKind(full, 'NetworkPolicy').find(({ metadata }) => metadata.name === service.metadata.name);
      const open = policy?.spec.ingress[0].ports.map(({ port }: { port: string }) => port);
      expect(open, service.metadata.name).to.have.members(ports);
    }
    const [ingress] = byKind(full, 'Ingress');
    const backend = ingress?.spec.rules[0].http.paths[0].backend.service;
    const led = byKind(full, 'Service').find(({ metadata }) => metadata.name === backend.name);
    expect(led?.spec.ports.map(({ name }: { name: string }) => name)).to.include(backend.port.name);
  });

  it('leads from the outside to every path of the API and of the console, but not to the metrics', () => {
    const [ingress] = byKind(full, 'Ingress');
    const paths: Array<{ path: string; pathType: string }> = ingress?.spec.rules[0].http.paths;
    const isLed = (wanted: string) =>
      paths.some(({ path, pathType }) =>
        pathType === 'Exact' ? path === wanted : wanted === path || wanted.startsWith(`${path}/`),
      );
    const served = endpointTable(createMetrics()).map((endpoint) => fullPath(endpoint, endpoint.path));
    expect(served).to.include('/metrics');
    expect(['/', '/console', '/console/assets/a.js', ...served].filter((path) => !isLed(path))).to.deep.equal([
      '/metrics',
    ]);
  });

  it('listens in a container on the ports that the image and the variables name', () => {
    const exposed = readFileSync(join(root, 'Dockerfile'), 'utf8')
      .match(/^EXPOSE (.*)$/m)?.[1]
      ?.split(' ')
      .map(Number);
    const numbers = new Set<number>();
    for (const manifest of byKind(full, 'Deployment')) {
      const { container } = podOf(manifest);
      const value = (name: string) => Number(container.env.find((one) => one.name === name)?.value);
      const named: Record<string, number> = {
        http: value(manifest.metadata.name === 'mail-api' ? 'PORT' : 'WORKER_PORT'),
        ...{ smtp: value('INBOUND_SMTP_PORT'), submission: value('SUBMISSION_PORT') },
        submissions: value('SUBMISSION_TLS_PORT'),
      };
      for (const { name, containerPort } of container.ports) {
        expect(containerPort, `${manifest.metadata.name} ${name}`).to.equal(named[name]);
        numbers.add(containerPort);
      }
    }
    expect([...numbers]).to.have.members(exposed ?? []);
  });

  it('sets the database up before the pods of an installation or an upgrade are started', () => {
    const [job] = byKind(plain, 'Job');
    expect(job?.metadata.annotations?.['helm.sh/hook']).to.equal('pre-install,pre-upgrade');
    const { container } = podOf(job as Manifest);
    expect(container.args).to.deep.equal(['node', 'cli/admin.ts', 'setup']);
    expect(existsSync(join(root, 'cli/admin.ts'))).to.equal(true);
  });

  describe('with autoscaling', () => {
    const scaled = byKind(full, 'ScaledObject');
    const byCpu = byKind(full, 'HorizontalPodAutoscaler');

    it('has one scaler for each role, which leaves the number of pods to it; without, none', () => {
      const targets = [...scaled, ...byCpu].map(({ spec }) => spec.scaleTargetRef.name);
      expect(targets).to.have.members(roles.map((role) => `mail-${role}`));
      for (const { spec } of byKind(full, 'Deployment')) expect(spec).to.not.have.property('replicas');
      expect([...byKind(plain, 'ScaledObject'), ...byKind(plain, 'HorizontalPodAutoscaler')]).to.deep.equal([]);
    });

    it('keeps a process of each role, and shrinks it long after a process could have stopped', () => {
      const grace = podOf(byKind(full, 'Deployment')[0] as Manifest).pod.terminationGracePeriodSeconds;
      for (const { metadata, spec } of [...scaled, ...byCpu]) {
        const least = spec.minReplicaCount ?? spec.minReplicas;
        expect(least, metadata.name).to.be.at.least(1);
        expect(spec.maxReplicaCount ?? spec.maxReplicas, metadata.name).to.be.above(least);
        const behavior = spec.behavior ?? spec.advanced.horizontalPodAutoscalerConfig.behavior;
        expect(behavior.scaleDown.stabilizationWindowSeconds, metadata.name).to.be.above(grace);
        if (spec.cooldownPeriod !== undefined) expect(spec.cooldownPeriod).to.be.above(grace);
      }
    });

    it('asks for the task queues that the roles poll, whatever the prefix', () => {
      for (const prefix of ['everpost', 'other']) {
        const manifests = renderChart(folder, { ...everything, config: { TASK_QUEUE_PREFIX: prefix } });
        const asked = byKind(manifests, 'ScaledObject').flatMap(({ spec }) =>
          spec.triggers
            .filter(({ type }: { type: string }) => type === 'temporal')
            .map(({ metadata }: Manifest) => [spec.scaleTargetRef.name, metadata.taskQueue, metadata.queueTypes]),
        );
        const polled = Object.entries<Role>(ofProcesses).flatMap(([role, { worker }]) => {
          if (!worker) return [];
          const { queue, runsWorkflows } = worker({} as never);
          return [[`mail-${role}`, prefixed(prefix, queue), runsWorkflows ? 'workflow' : 'activity']];
        });
        expect(asked).to.have.deep.members(polled);
      }
    });

    it('divides a campaign by the most processes that there may be', () => {
      const processes = (manifests: Manifest[]) => {
        const background = byKind(manifests, 'Deployment').find(({ metadata }) => metadata.name === 'mail-background');
        return podOf(background as Manifest).container.env.find(({ name }) => name === 'WORKER_PROCESSES')?.value;
      };
      expect([processes(plain), processes(full)]).to.deep.equal(['2', '8']);
    });
  });

  describe('has a schema for its values', () => {
    const isValid = new Ajv({ strict: false }).compile(chartSchema());
    const values = (path: string, value: unknown) => {
      const all = parse(readFileSync(join(folder, 'values.yaml'), 'utf8'));
      const keys = path.split('.');
      const last = keys.pop() as string;
      keys.reduce((at, key) => at[key], all)[last] = value;
      return all;
    };

    it('that is made of the config schema; npm run readme writes it', () => {
      const written = readFileSync(join(folder, 'values.schema.json'), 'utf8');
      expect(JSON.parse(written)).to.deep.equal(chartSchema());
    });

    it('that takes its own values, and the examples of the README', () => {
      expect(isValid(values('image.tag', '1')), JSON.stringify(isValid.errors)).to.equal(true);
      expect(isValid(values('config.RATE_LIMIT', 1_000))).to.equal(true);
      const readme = readFileSync(join(root, 'deploy/README.md'), 'utf8');
      const examples = [...readme.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text));
      expect(examples).to.not.have.length(0);
      for (const example of examples)
        for (const [key, given] of Object.entries(example))
          expect(isValid(values(key, { ...values('image.tag', '')[key], ...(given as object) })), key).to.equal(true);
    });

    it('that refuses a misspelt variable, a secret among them, pictures in a folder of a pod, no workflows, a Secret without keys', () => {
      expect(isValid(values('config.RATE_LIMITS', 1_000))).to.equal(false);
      expect(isValid(values('config.MONGODB_URL', 'mongodb://a'))).to.equal(false);
      expect(isValid(values('config.MEDIA_STORE', 'folder'))).to.equal(false);
      expect(isValid(values('config.MEDIA_STORE', 's3://pictures'))).to.equal(true);
      expect(isValid(values('roles.workflows.replicas', 0))).to.equal(false);
      expect(isValid(values('roles.inbound.replicas', 0))).to.equal(true);
      expect(isValid(values('secret.keys', ['MONGODB_URL', 'REDIS_URL', 'SMTP_URL']))).to.equal(false);
      expect(isValid(values('rolls', {}))).to.equal(false);
    });
  });

  it('is rendered by Helm as by these tests, where Helm is installed', function () {
    const helm = (process.env.PATH ?? '')
      .split(delimiter)
      .map((path) => join(path, 'helm'))
      .find(existsSync);
    if (!helm) return this.skip();
    this.timeout(60_000);
    const temporary = mkdtempSync(join(tmpdir(), 'everpost-helm-'));
    try {
      const file = join(temporary, 'values.yaml');
      writeFileSync(file, stringify(everything));
      const run = (...args: string[]) => {
        const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8' });
        expect(status, stderr + stdout).to.equal(0);
        return stdout;
      };
      run('lint', '--strict', '--kube-version', '1.30.0', folder, '-f', file);
      for (const [more, ours] of [
        [[], plain],
        [['-f', file], full],
      ] as const) {
        const text = run('template', 'mail', folder, '--namespace', 'post', '--kube-version', '1.30.0', ...more);
        const theirs = parseAllDocuments(text)
          .map((document) => document.toJS())
          .filter((one) => one !== null);
        const named = (manifests: Manifest[]) =>
          Object.fromEntries(manifests.map((one) => [`${one.kind} ${one.metadata.name}`, one]));
        expect(named(theirs as Manifest[])).to.deep.equal(named(ours));
      }
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });
});

function withPods(manifests: Manifest[]): Manifest[] {
  return [...byKind(manifests, 'Deployment'), ...byKind(manifests, 'Job')];
}
