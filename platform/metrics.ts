import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from './version.ts';

export interface Metrics {
  registry: Registry;
  observeRequest(labels: { method: string; route: string; status: number }, seconds: number): void;
  counter(name: string, help: string, labels?: string[]): Counter;
  gauge(name: string, help: string, read: () => number): Gauge;
  /** A gauge with a value for each set of labels. */
  gauges(name: string, help: string, labels: string[], read: () => Labelled[]): Gauge;
}

interface Labelled {
  labels: Record<string, string>;
  value: number;
}

/** One registry for each process, in Prometheus' text form on /metrics. Labels are names of routes, states and relays, never ids. */
export function createMetrics(roles: readonly string[] = []): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const labelNames = ['version', 'roles'];
  new Gauge({ name: 'everpost_process_info', help: 'This process: 1.', labelNames, registers: [registry] }).set(
    { version: VERSION, roles: roles.join(',') },
    1,
  );
  const requests = new Histogram({
    name: 'everpost_http_request_seconds',
    help: 'Time to answer, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30],
    registers: [registry],
  });
  return {
    registry,
    observeRequest: ({ method, route, status }, seconds) => requests.observe({ method, route, status }, seconds),
    counter: (name, help, labelNames = []) => new Counter({ name, help, labelNames, registers: [registry] }),
    gauge: (name, help, read) =>
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      }),
    gauges: (name, help, labelNames, read) =>
      new Gauge({
        name,
        help,
        labelNames,
        registers: [registry],
        collect() {
          this.reset();
          for (const { labels, value } of read()) this.set(labels, value);
        },
      }),
  };
}
