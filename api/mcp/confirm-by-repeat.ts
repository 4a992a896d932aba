import { answerConfirmation, askConfirmation, useConfirmation } from '../../core/accounts/confirmations.ts';
import { errorResult } from './content.ts';
import type { Peer } from './peer.ts';
import type { Planned } from './planned.ts';
import { codes, type Json, type McpCall, ProtocolError } from './protocol.ts';
import { isYes, questionOf, refusals } from './questions.ts';
import { runTool } from './run.ts';

const QUESTION = 'confirm';

/** Without sessions: the answer is a question, and the client repeats the call with the user's answer. A larger number is asked about again. */
export async function confirmByRepeat(call: McpCall, peer: Peer, planned: Planned): Promise<Json> {
  if (!peer.hasForms)
    throw new ProtocolError(codes.missingCapability, refusals.noForms, {
      status: 400,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
  const { requestState, inputResponses } = (call.body.params ?? {}) as {
    requestState?: unknown;
    inputResponses?: Json;
  };
  const answer = inputResponses?.[QUESTION];
  if (typeof requestState !== 'string' || answer === undefined) return ask(call, planned);
  const { deps, project, apiKey } = call;
  const question = { _id: requestState, projectId: project._id, apiKeyId: apiKey._id };
  if (!isYes(answer)) {
    await answerConfirmation(deps, question, 'declined');
    return errorResult(refusals.declined);
  }
  const confirmed = await useConfirmation(deps, question, { call: planned.hash, from: 'pending' });
  if (confirmed === null) return errorResult(refusals.used);
  if (planned.mailing.people > confirmed) return ask(call, planned);
  return runTool(call, planned.tool, planned.input);
}

async function ask({ deps, project, apiKey }: McpCall, { hash, mailing }: Planned): Promise<Json> {
  const owner = { projectId: project._id, apiKeyId: apiKey._id };
  const { _id } = await askConfirmation(deps, { ...owner, call: hash, people: mailing.people });
  const request = { method: 'elicitation/create', params: questionOf(mailing) };
  return { resultType: 'input_required', inputRequests: { [QUESTION]: request }, requestState: _id };
}
