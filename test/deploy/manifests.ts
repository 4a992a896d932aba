import type { Manifest } from '../support/helm.ts';

interface Pod {
  securityContext: object;
  terminationGracePeriodSeconds: number;
  volumes: Array<{ name: string }>;
}

interface Container {
  args?: string[];
  env: Array<{ name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }>;
  ports: Array<{ name: string; containerPort: number }>;
  resources: { limits?: { memory?: string } };
  securityContext: object;
  volumeMounts: Array<{ name: string; mountPath: string }>;
  lifecycle?: { preStop: { exec: { command: string[] } } };
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
}

interface Probe {
  httpGet: { path: string; port: string };
}

export function byKind(manifests: readonly Manifest[], kind: string): Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind);
}

export function podOf({ spec }: Pick<Manifest, 'metadata' | 'spec'>): { pod: Pod; container: Container } {
  const pod = spec.template.spec;
  return { pod, container: pod.containers[0] };
}
