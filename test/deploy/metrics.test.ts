import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { anyFreePort } from '../../stack/ports.ts';
import { useEnvironment } from '../support/environment.ts';
import { renderChart } from '../support/helm.ts';
import { until } from '../support/wait.ts';
import { byKind, podOf } from './manifests.ts';

const root = join(import.meta.dirname, '../..');

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook: string };
}

interface Panel {
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: Array<{ expr: string }>;
}

describe('The dashboard, the alerts and the scalers', function () {
  this.timeout(120_000);
  const environment = useEnvironment();
  let worker: ChildProcess;
  let workerUrl: string;
  before(async () => {
    const { config } = environment.deps;
    const port = await anyFreePort();
    workerUrl = `http://127.0.0.1:${port}`;
    const env = {
      ...process.env,
      MONGODB_DATABASE: config.mongodbDatabase,
      TASK_QUEUE_PREFIX: config.taskQueuePrefix,
      SECRET_KEYS: config.secretKeys.join(','),
      WORKER_LANES: 'background,mail,inbound',
      INBOUND_SMTP_PORT: String(await anyFreePort()),
      WORKER_PORT: String(port),
      LOG_LEVEL: 'error',
    };
    worker = fork(join(root, 'workers/main.ts'), { env, silent: true });
    await until(
      () =>
        fetch(`${workerUrl}/health/live`).then(
          ({ ok }) => ok,
          () => false,
        ),
      (isUp) => isUp,
      { ms: 90_000 },
    );
  });
  after(() => worker?.kill('SIGKILL'));

  const rules = (
    parse(readFileSync(join(root, 'deploy/prometheus/alerts.yaml'), 'utf8')) as {
      groups: Array<{ rules: Rule[] }>;
    }
  ).groups.flatMap((group) => group.rules);
  const panels = (JSON.parse(readFileSync(join(root, 'deploy/grafana/everpost.json'), 'utf8')) as { panels: Panel[] })
    .panels;
  const queries = byKind(
    renderChart(join(root, 'deploy/helm/everpost'), { autoscaling: { enabled: true } }),
    'ScaledObject',
  )
    .flatMap(({ spec }) => spec.triggers)
    .flatMap(({ metadata }: { metadata: { query?: string } }) => metadata.query ?? []);
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...queries,
  ];

  it('name only metrics that an API process or a worker has', async () => {
    const { client } = environment.own;
    const fields = { to: { email: 'a@in.test' }, from: { email: 'a@example.com' }, subject: 'Hello', text: 'Hello' };
    await client.post('/mails/send', fields);
    const read = async (url: string) => (await fetch(`${url}/metrics`)).text();
    const ofApi = await until(
      () => read(environment.url),
      (text) => text.includes('everpost_http_request_seconds_bucket{'),
    );
    const used = expressions.flatMap((text) => metricsOf(text));
    expect(used).to.have.length.above(30);
    const unknownIn = (text: string) => {
      const names = new Set([...text.matchAll(/^# TYPE (\w+) \w+$/gm)].map(([, name]) => name));
      return used.filter((name) => !names.has(name) && !names.has(name.replace(/_(bucket|count|sum)$/, '')));
    };
    let ofWorker = '';
    // Those of Temporal begin with the first measurement.
    const unknown = await until(
      async () => {
        ofWorker = await read(workerUrl).catch(() => '');
        return unknownIn(`${ofApi}\n${ofWorker}`);
      },
      (names) => names.length === 0 && ofWorker.includes('everpost_mails_waiting{'),
      { ms: 90_000 },
    );
    expect(unknown).to.deep.equal([]);
    for (const name of ['everpost_mails_waiting', 'everpost_process_info']) expect(used).to.include(name);
    expect(ofApi).to.match(/^everpost_process_info\{version="[\d.]+",roles="\w*"\} 1$/m);
    expect(ofWorker).to.match(/^everpost_process_info\{version="[\d.]+",roles="background,mail,inbound"\} 1$/m);
  });

  it('come with probes that ask each role for its health where it has it', async () => {
    for (const manifest of byKind(renderChart(join(root, 'deploy/helm/everpost')), 'Deployment')) {
      const { container } = podOf(manifest);
      const url = manifest.metadata.name === 'mail-api' ? environment.url : workerUrl;
      for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
        expect(container.ports.map(({ name }) => name)).to.include(httpGet.port);
        // 503: there, and not ready yet.
        expect((await fetch(url + httpGet.path)).status, httpGet.path).to.be.oneOf([200, 503]);
      }
    }
  });

  it('have for each alert a name of its own, a severity, and a page that says what to do', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(labels.severity, alert).to.be.oneOf(['critical', 'warning']);
      expect(annotations.summary, alert).to.be.a('string');
      expect(annotations.description, alert).to.be.a('string');
      expect(annotations.runbook, alert).to.match(/^docs\/operators\/[\w-]+\.md$/);
      expect(existsSync(join(root, annotations.runbook)), annotations.runbook).to.equal(true);
    }
  });

  it('have panels that do not overlap, each with something to show', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).to.equal(cells.length);
    for (const { title, type, targets = [] } of panels)
      if (type !== 'row') expect(targets.length, title).to.be.above(0);
  });
});

/** Names in an expression of PromQL that are metrics, not functions or labels. */
function metricsOf(expression: string): string[] {
  const plain = expression
    .replace(/"[^"]*"/g, '')
    .replace(/\b(by|on|group_left) ?\([^)]*\)/g, '')
    .replace(/\{[^}]*\}/g, '');
  return [...plain.matchAll(/\b[a-z]+(?:_[a-z0-9]+)+\b(?!\s*\()/g)].map(([name]) => name);
}
