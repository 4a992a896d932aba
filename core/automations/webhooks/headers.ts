import { ObjectId } from 'mongodb';
import { invalid, unavailable } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import { SecretError } from '../../base/secrets.ts';
import { type Header, keepHeaders, openHeaders } from '../../events/webhook-headers.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { AutomationStep } from '../model/definition.ts';
import type { StepInput } from '../rules/parse-definition.ts';
import { storedHeaders } from '../rules/webhooks/faults.ts';

interface Change {
  automationId: ObjectId;
  /** The steps of the call; left out: they stay as they are. */
  given: readonly StepInput[] | undefined;
  before?: readonly AutomationStep[];
}

/** Stores the headers of steps before the definition that names them. A value that is left out is the one that the step has. */
export async function keepStepHeaders(
  deps: AutomationsDeps,
  { _id: projectId }: Pick<Project, '_id'>,
  steps: readonly AutomationStep[],
  { automationId: ownerId, given = [], before = [] }: Change,
): Promise<void> {
  const kept: Array<{ id: string; headers: Header[] }> = [];
  for (const [index, { webhook }] of given.entries()) {
    const step = steps[index];
    if (step?.type !== 'webhook' || !step.webhook.sealedHeaders) continue;
    const { id } = step.webhook.sealedHeaders;
    const stored = storedHeaders(step, before);
    if (stored?.id === id) continue;
    const known = stored ? await opened(deps, { _id: new ObjectId(stored.id), projectId }) : new Map<string, string>();
    kept.push({ id, headers: valuesOf(webhook?.headers ?? [], known, `steps/${index}/webhook/headers`) });
  }
  for (const { id, headers } of kept) await keepHeaders(deps, { _id: new ObjectId(id), projectId, ownerId }, headers);
}

/** Values by name. */
async function opened(
  deps: AutomationsDeps,
  owner: { _id: ObjectId; projectId: ObjectId },
): Promise<Map<string, string>> {
  try {
    return new Map((await openHeaders(deps, owner)).map(({ name, value }) => [name.toLowerCase(), value]));
  } catch (error) {
    if (error instanceof SecretError) throw unavailable(error.message, 60);
    throw error;
  }
}

function valuesOf(
  given: ReadonlyArray<{ name: string; value?: string | undefined }>,
  known: ReadonlyMap<string, string>,
  path: string,
): Header[] {
  return given.map(({ name, value = known.get(name.toLowerCase()) }, index) => {
    if (value !== undefined) return { name, value };
    const details = `${path}/${index}/value: is required, since the step has none for this url or webhook`;
    throw invalid(`The automation is not valid: ${details}`, details);
  });
}
