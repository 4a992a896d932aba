import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Deps } from '../core/base/deps.ts';
import type { Metrics } from '../platform/metrics.ts';

interface Health {
  port: number;
  close(): void;
}

interface Sources {
  deps: Deps;
  metrics: Metrics;
  lanes: readonly string[];
  isReady(): boolean;
  /** The address of the SDK's own metrics; null when it has none. */
  sdkMetricsUrl: string | null;
}

const ASK_MS = 2_000;

/** For the supervisor of the process: liveness, readiness and metrics. */
export async function serveHealth(port: number, host: string, sources: Sources): Promise<Health> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '/', sources, response).catch(() => response.writeHead(500).end());
  });
  await listen(server, port, host);
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

async function answer(url: string, sources: Sources, response: ServerResponse): Promise<void> {
  const path = url.split('?')[0];
  if (path === '/health/live') return json(response, 200, { status: 'ok' });
  if (path === '/health/ready') return readiness(sources, response);
  if (path !== '/metrics') return json(response, 404, { status: 'not found' });
  const { registry } = sources.metrics;
  response.writeHead(200, { 'Content-Type': registry.contentType });
  response.end((await registry.metrics()) + (await sdkMetrics(sources)));
}

async function readiness({ deps, lanes, isReady }: Sources, response: ServerResponse): Promise<void> {
  const [mongodb, temporal] = await Promise.all([isMongoUp(deps), deps.workflows.isUp()]);
  const state = (isUp: boolean) => (isUp ? 'up' : 'down');
  const servers = { mongodb: state(mongodb), redis: state(deps.signals.isUp()), temporal: state(temporal) };
  const ready = mongodb && isReady();
  json(response, ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', lanes, ...servers });
}

async function isMongoUp({ mongo, config }: Deps): Promise<boolean> {
  const ping = mongo.db(config.mongodbDatabase).command({ ping: 1 }, { timeoutMS: ASK_MS });
  return ping.then(
    () => true,
    () => false,
  );
}

async function sdkMetrics({ sdkMetricsUrl }: Sources): Promise<string> {
  if (sdkMetricsUrl === null) return '';
  const answer = await fetch(sdkMetricsUrl, { signal: AbortSignal.timeout(ASK_MS) }).catch(() => null);
  return answer?.ok ? `\n${await answer.text()}` : '';
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
}
