import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Workflows } from '../core/base/deps.ts';
import { unavailable } from '../core/base/errors.ts';
import type { Config } from '../schemas/config.ts';
import { attributePairs, type SearchAttributeValues } from './attributes/search-attributes.ts';
import type { automationEnrollment } from './automations.ts';
import type { campaignSend } from './campaigns.ts';
import type { domainCheck } from './domains.ts';
import type { contactImport } from './imports.ts';
import { signals } from './messages.ts';
import type { metricsRefresh } from './metrics.ts';
import type { migration } from './migrations.ts';
import { prefixed, workflowIds } from './names.ts';
import type { opensRecompute } from './opens.ts';
import type { segmentRecompute } from './segments.ts';

/** The one place that starts and signals runs. */
export function createWorkflows(config: Config, { client }: { client: () => Promise<Client> }): Workflows {
  const runs = new Runs(config, client);
  return {
    isUp: () => runs.isUp(),

    async sendCampaign({ projectId, campaignId }) {
      await runs.start<typeof campaignSend>({
        type: 'campaignSend',
        id: workflowIds.campaignSend(campaignId),
        args: [{ projectId, campaignId }],
        summary: 'Sends a campaign',
        details:
          'Waits until it is due, writes down the audience, sends it page by page, and waits for what was deferred.',
        attributes: { ProjectId: projectId, CampaignId: campaignId, State: 'scheduled', Phase: 'start' },
        priority: 'first',
        signal: { name: signals.control },
      });
    },

    campaignRunUrl(campaignId) {
      const { temporalUiUrl, temporalNamespace, taskQueuePrefix } = config;
      const id = encodeURIComponent(prefixed(taskQueuePrefix, workflowIds.campaignSend(campaignId)));
      return temporalUiUrl ? `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows/${id}` : null;
    },

    async refreshMetrics({ projectId, campaignId }) {
      await runs.start<typeof metricsRefresh>({
        type: 'metricsRefresh',
        id: workflowIds.metricsRefresh(campaignId),
        args: [{ projectId, campaignId }],
        summary: 'Follows a campaign: refreshes its numbers',
        attributes: { ProjectId: projectId, CampaignId: campaignId, State: 'running', Phase: 'metrics' },
        priority: 'last',
      });
    },

    async checkDomain({ projectId, domainId, domainName }) {
      await runs.start<typeof domainCheck>({
        type: 'domainCheck',
        id: workflowIds.domainCheck(domainId),
        args: [{ projectId, domainId }],
        summary: `DNS records of ${domainName}`,
        details: `Looks up the records that ${domainName} should publish, until it is verified or three days have passed.`,
        attributes: { ProjectId: projectId, State: 'PENDING', Phase: 'records' },
        signal: { name: signals.checkNow },
      });
    },

    async importContacts({ projectId, importId }) {
      await runs.start<typeof contactImport>({
        type: 'contactImport',
        id: workflowIds.contactImport(importId),
        args: [{ projectId, importId }],
        summary: 'Contacts of a file',
        details: 'Reads an uploaded file into contacts.',
        attributes: { ProjectId: projectId, State: 'queued' },
      });
    },

    async recomputeSegment({ projectId, listId }) {
      await runs.start<typeof segmentRecompute>({
        type: 'segmentRecompute',
        id: workflowIds.segmentRecompute(listId),
        args: [{ projectId, listId }],
        summary: 'Members of a segment',
        details: 'Holds every contact of the project against the filter of the segment.',
        attributes: { ProjectId: projectId, State: 'running' },
        signal: { name: signals.control },
      });
    },

    async recomputeOpens() {
      await runs.start<typeof opensRecompute>({
        type: 'opensRecompute',
        id: workflowIds.opensRecompute(),
        args: [{ pass: 1, projectId: null, phase: 'project', after: null, projects: 0, mails: 0, changed: 0 }],
        summary: 'Judges stored opens again',
        details: 'The rules that tell people from machines have changed: goes through the mails of all projects.',
        attributes: { State: 'running', Phase: 'opens' },
        priority: 'last',
      });
    },

    async enroll({ enrollmentId, projectId, automationId, contactId }, { isNew, wait }) {
      await runs.start<typeof automationEnrollment>({
        type: 'automationEnrollment',
        id: workflowIds.enrollment(enrollmentId),
        args: [{ enrollmentId, projectId, automationId, ...(isNew && wait ? { wait } : {}) }],
        summary: `Contact ${contactId} in automation ${automationId}`,
        attributes: { ProjectId: projectId, AutomationId: automationId, ContactId: contactId },
        ...(isNew ? {} : { signal: { name: signals.control } }),
      });
    },

    wakeEnrollment: ({ enrollmentId }) => runs.signal(workflowIds.enrollment(enrollmentId), signals.control),

    async migrate(job) {
      const { projectId, migrationId, provider, run } = job;
      const id = workflowIds.migration(projectId);
      const isNew = await runs.start<typeof migration>({
        type: 'migration',
        id,
        args: [{ projectId, migrationId, run }],
        summary: `Migration from ${provider}, run ${run}`,
        details: `Job ${migrationId}. Holds when a phase cannot go on; retry, skip or cancel it with \`npm run admin -- migrations\`.`,
        attributes: { ProjectId: projectId, BulkOperationId: migrationId, State: 'queued' },
        memo: { migrationId, run },
        whenRunning: 'refuse',
      });
      if (isNew) return true;
      const running = await runs.memoOf(id);
      if (running?.migrationId !== migrationId) return false;
      // An earlier run of this job finds that it is over, and ends.
      await runs.signal(id, signals.control);
      return running.run === run;
    },

    cancelMigration: ({ projectId, migrationId }) =>
      runs.cancel(workflowIds.migration(projectId), (memo) => memo.migrationId === migrationId),
  };
}

type AnyWorkflow = (...args: never[]) => Promise<unknown>;

interface Start<Type extends AnyWorkflow> {
  /** The name of the workflow function. */
  type: string;
  /** Without the prefix of the installation. */
  id: string;
  /** Ids and cursors only: every user of the Web UI can read a history. */
  args: Parameters<Type>;
  /** At most 200 bytes; shown next to the run. */
  summary: string;
  details?: string;
  /** Without ProjectId: the run goes through all projects, and takes turns with them as one of them. */
  attributes: SearchAttributeValues;
  /** Among waiting tasks of a queue; 'usual' when left out. */
  priority?: keyof typeof PRIORITIES;
  /** To read, not to filter by. */
  memo?: Record<string, unknown>;
  /** When a run with this id exists: join it (left out), or return false without a change. */
  whenRunning?: 'join' | 'refuse';
  /** Sent to the run, whether it existed or not. */
  signal?: { name: string };
}

const CALL_MS = 5_000;
const ALL_PROJECTS = 'all';
/**
 * A campaign has few tasks, and hundreds or thousands of people wait for each; numbers may be late. A lower number is served first,
 * so these never have many tasks.
 */
const PRIORITIES = { first: 2, usual: 3, last: 4 };

/**
 * The runs of this installation, by id. A run is absent, running, or over, and over counts as absent:
 *
 * - absent -> running: `start`.
 * - running -> running: `start` joins it, with a signal if one is given, unless it is to be refused; `signal`.
 * - running -> over: the run itself, or `cancel`.
 *
 * Each call throws `unavailable` while Temporal is down.
 */
class Runs {
  readonly #prefix: string;
  readonly #client: () => Promise<Client>;

  constructor({ taskQueuePrefix }: Config, client: () => Promise<Client>) {
    this.#prefix = taskQueuePrefix;
    this.#client = client;
  }

  /** Returns whether this call found or made the run it asked for. */
  async start<Type extends AnyWorkflow>(run: Start<Type>): Promise<boolean> {
    const options = {
      taskQueue: prefixed(this.#prefix, 'workflows'),
      workflowId: prefixed(this.#prefix, run.id),
      args: run.args as unknown[],
      staticSummary: run.summary,
      ...(run.details === undefined ? {} : { staticDetails: run.details }),
      typedSearchAttributes: attributePairs(run.attributes),
      // Activities inherit both. Projects with tasks in a queue get one in turn, however many each has waiting.
      priority: {
        priorityKey: PRIORITIES[run.priority ?? 'usual'],
        fairnessKey: run.attributes.ProjectId ?? ALL_PROJECTS,
      },
      ...(run.memo === undefined ? {} : { memo: run.memo }),
      workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    };
    const workflowIdConflictPolicy = run.whenRunning === 'refuse' ? ('FAIL' as const) : ('USE_EXISTING' as const);
    const client = await this.#client();
    const { workflow } = client;
    try {
      await client.withDeadline(Date.now() + CALL_MS, async () => {
        if (run.signal)
          await workflow.signalWithStart(run.type, { ...options, signal: run.signal.name, signalArgs: [] });
        else await workflow.start(run.type, { ...options, workflowIdConflictPolicy });
      });
      return true;
    } catch (error) {
      const { WorkflowExecutionAlreadyStartedError } = await sdk();
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw await translate(error);
    }
  }

  async signal(id: string, signal: string): Promise<void> {
    await this.#onHandle(id, (handle) => handle.signal(signal));
  }

  /** Only the run with the given memo: another one may have taken its id. */
  async cancel(id: string, isMeant: (memo: Record<string, unknown>) => boolean): Promise<void> {
    await this.#onHandle(id, async (handle) => {
      const { memo = {}, runId, status } = await handle.describe();
      if (status.name !== 'RUNNING' || !isMeant(memo)) return;
      const { workflow } = await this.#client();
      await workflow.getHandle(handle.workflowId, runId).cancel();
    });
  }

  memoOf(id: string): Promise<Record<string, unknown> | null> {
    return this.#onHandle(id, async (handle) => (await handle.describe()).memo ?? null);
  }

  async isUp(): Promise<boolean> {
    try {
      const client = await this.#client();
      await client.withDeadline(Date.now() + 1_000, () => client.workflowService.getSystemInfo({}));
      return true;
    } catch {
      return false;
    }
  }

  /** The run may be over: then there is nothing to do. */
  async #onHandle<T>(id: string, work: (handle: WorkflowHandle) => Promise<T>): Promise<T | null> {
    const client = await this.#client();
    const handle = client.workflow.getHandle(prefixed(this.#prefix, id));
    try {
      return await client.withDeadline(Date.now() + CALL_MS, () => work(handle));
    } catch (error) {
      const { WorkflowNotFoundError } = await sdk();
      if (error instanceof WorkflowNotFoundError) return null;
      throw await translate(error);
    }
  }
}

/** CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED and UNAVAILABLE: the server is down or too busy. */
const UNAVAILABLE_CODES = new Set([1, 4, 8, 14]);

/** Loaded by then: a call has failed. */
const sdk = () => import('@temporalio/client');

async function translate(error: unknown): Promise<unknown> {
  const { isGrpcServiceError, NamespaceNotFoundError, ServiceError } = await sdk();
  const cause = error instanceof ServiceError ? error.cause : error;
  const isUnavailable =
    error instanceof NamespaceNotFoundError || (isGrpcServiceError(cause) && UNAVAILABLE_CODES.has(cause.code));
  return isUnavailable ? unavailable('The workflow engine does not answer.') : error;
}
