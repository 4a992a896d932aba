import {
  type Client,
  isGrpcServiceError,
  NamespaceNotFoundError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client';
import type { Workflows } from '../core/deps.ts';
import { unavailable } from '../core/errors.ts';
import type { Config } from '../schemas/config.ts';
import type { domainCheck } from './domains.ts';
import { signals } from './messages.ts';
import { prefixed, workflowIds } from './names.ts';
import { attributePairs, type SearchAttributeValues } from './search-attributes.ts';

/** The one place that starts and signals runs. */
export function createWorkflows(config: Config, { client }: { client: Client }): Workflows {
  const start = starter(config, client);
  return {
    isUp: () => isUp(client),

    async checkDomain({ projectId, domainId, domainName }) {
      await start<typeof domainCheck>({
        type: 'domainCheck',
        id: workflowIds.domainCheck(domainId),
        args: [{ projectId, domainId }],
        summary: `DNS records of ${domainName}`,
        details: `Looks up the records that ${domainName} should publish, until it is verified or three days have passed.`,
        attributes: { ProjectId: projectId, Status: 'PENDING', Phase: 'records' },
        signal: { name: signals.checkNow },
      });
    },
  };
}

type AnyWorkflow = (...args: never[]) => Promise<unknown>;

interface Start<Type extends AnyWorkflow> {
  /** The name of the workflow function. */
  type: string;
  /** Without the prefix of the installation. */
  id: string;
  /** Ids and cursors only: a history is readable by whoever reads the Web UI. */
  args: Parameters<Type>;
  /** At most 200 bytes; shown beside the run. */
  summary: string;
  details?: string;
  attributes: SearchAttributeValues;
  /** When a run with this id is there: join it (left out), or leave it alone and answer false. */
  whenRunning?: 'join' | 'refuse';
  /** Told to the run, whether it was there or not. */
  signal?: { name: string; args?: unknown[] };
}

const CALL_MS = 5_000;

/** Answers whether this call found or made the run it asked for; throws `unavailable` while Temporal is away. */
function starter(config: Config, client: Client) {
  return async function start<Type extends AnyWorkflow>(run: Start<Type>): Promise<boolean> {
    const options = {
      taskQueue: prefixed(config.taskQueuePrefix, 'workflows'),
      workflowId: prefixed(config.taskQueuePrefix, run.id),
      args: run.args as unknown[],
      staticSummary: run.summary,
      ...(run.details === undefined ? {} : { staticDetails: run.details }),
      typedSearchAttributes: attributePairs(run.attributes),
      workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    };
    const conflict = run.whenRunning === 'refuse' ? ('FAIL' as const) : ('USE_EXISTING' as const);
    try {
      await client.withDeadline(Date.now() + CALL_MS, async () => {
        if (run.signal)
          await client.workflow.signalWithStart(run.type, {
            ...options,
            signal: run.signal.name,
            signalArgs: run.signal.args ?? [],
          });
        else await client.workflow.start(run.type, { ...options, workflowIdConflictPolicy: conflict });
      });
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw translate(error);
    }
  };
}

/** CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED and UNAVAILABLE: the server is away or too busy. */
const AWAY = new Set([1, 4, 8, 14]);

function translate(error: unknown): unknown {
  const cause = error instanceof ServiceError ? error.cause : error;
  const isAway = error instanceof NamespaceNotFoundError || (isGrpcServiceError(cause) && AWAY.has(cause.code));
  return isAway ? unavailable('The workflow engine does not answer.') : error;
}

async function isUp(client: Client): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + 1_000, () => client.workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
  }
}
