import { variableName, variables } from '../schemas/config.ts';
import { roles } from '../workers/roles.ts';

/** Variables that hold a password or a key: the chart takes them from a Secret alone. */
const SECRETS = new Set([
  ...['SECRET_KEYS', 'MONGODB_URL', 'REDIS_URL', 'SMTP_URL', 'SMTP_TRANSACTIONAL_URL', 'SMTP_EVIDENCE_URL'],
  ...['S3_ACCESS_KEY', 'S3_SECRET_KEY'],
]);

/** The chart and the image set these themselves; the last is of `npm start` alone. */
const OWN = new Set([
  ...['HOST', 'PORT', 'DATA_DIR', 'MEDIA_DIR', 'WORKER_LANES', 'WORKER_PORT', 'WORKFLOW_BUNDLE', 'CONSOLE_BUNDLE'],
  ...['INBOUND_SMTP_HOST', 'INBOUND_SMTP_PORT', 'INBOUND_TLS_CERTIFICATE', 'INBOUND_TLS_KEY'],
  ...['SUBMISSION_HOST', 'SUBMISSION_PORT', 'SUBMISSION_TLS_PORT', 'SUBMISSION_TLS_CERTIFICATE', 'SUBMISSION_TLS_KEY'],
  'WORKER_PROCESSES',
]);

const object = (properties: Record<string, object>, required: string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  ...(required.length > 0 ? { required } : {}),
  properties,
});
const text = { type: 'string' };
const flag = { type: 'boolean' };
const count = (minimum: number) => ({ type: 'integer', minimum });
const map = { type: 'object' };

/** `npm run readme` writes it as values.schema.json: helm refuses values with a name that does not exist. */
export function chartSchema(): object {
  const names = Object.keys(variables).map(variableName);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...object(
      {
        global: map,
        image: object({ repository: text, tag: text, pullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] } }),
        imagePullSecrets: { type: 'array', items: object({ name: text }, ['name']) },
        serviceAccountName: text,
        secret: object({
          name: { ...text, minLength: 1 },
          keys: {
            type: 'array',
            items: { enum: names.filter((name) => SECRETS.has(name)) },
            allOf: ['SECRET_KEYS', 'MONGODB_URL', 'REDIS_URL', 'SMTP_URL'].map((name) => ({
              contains: { const: name },
            })),
          },
        }),
        config: {
          type: 'object',
          required: ['PUBLIC_URL', 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TASK_QUEUE_PREFIX', 'MEDIA_STORE'],
          // A folder is of one pod alone.
          properties: { MEDIA_STORE: { ...text, pattern: '^(mongodb|s3://.+)$' } },
          propertyNames: { enum: names.filter((name) => !SECRETS.has(name) && !OWN.has(name)) },
          additionalProperties: { type: ['string', 'integer', 'boolean'] },
        },
        roles: object(Object.fromEntries(['api', ...Object.keys(roles)].map((role) => [role, roleSchema(role)]))),
        ingress: object({ enabled: flag, className: text, annotations: map, host: text, tlsSecret: text }),
        autoscaling: object({ enabled: flag, prometheusUrl: text, cooldownSeconds: count(60) }),
        podMonitor: object({ enabled: flag }),
        networkPolicy: object({ enabled: flag }),
        dots: object({ hostPath: text }),
        nodeSelector: map,
        tolerations: { type: 'array' },
        podAnnotations: map,
      },
      ['image', 'secret', 'config', 'roles'],
    ),
  };
}

/** Without a process of the role `workflows` no campaign or automation advances, so it is never left out. */
function roleSchema(role: string): object {
  return object(
    {
      replicas: count(role === 'workflows' ? 1 : 0),
      resources: map,
      autoscale: object(
        {
          max: count(1),
          cpu: count(1),
          queue: { enum: ['workflow', 'activity'] },
          query: text,
          target: count(1),
        },
        ['max'],
      ),
      tlsSecret: text,
      service: object({
        type: { enum: ['ClusterIP', 'LoadBalancer', 'NodePort'] },
        annotations: map,
        ports: { type: 'array', items: object({ name: text, port: count(1) }, ['name', 'port']) },
      }),
    },
    ['replicas', 'resources', 'autoscale'],
  );
}
