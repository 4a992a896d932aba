import { answerConfirmation, askConfirmation, isUsed, useConfirmation } from '../../core/accounts/confirmations.ts';
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
  const said = saidIn(call);
  if (!said) return ask(call, planned);
  const { question, answer } = said;
  if (!isYes(answer)) {
    await answerConfirmation(call.deps, question, 'declined');
    return errorResult(refusals.declined);
  }
  const { tool, input, mailing, hash } = planned;
  const confirmed = await useConfirmation(call.deps, question, { call: hash, from: 'pending', people: mailing.people });
  // Another repeat may have used it since it was looked at.
  if (confirmed === null) return (await repeatConfirmed(call, planned)) ?? errorResult(refusals.used);
  if (mailing.people > confirmed) return ask(call, planned);
  return runTool(call, tool, input, question._id);
}

/** A call that was made with its confirmation before, and whose answer may be lost: it gets that answer. null: it was not made. */
export async function repeatConfirmed(
  call: McpCall,
  { tool, input, hash }: Omit<Planned, 'mailing'>,
): Promise<Json | null> {
  const said = saidIn(call);
  if (!said || !(await isUsed(call.deps, said.question, hash))) return null;
  return isYes(said.answer) ? runTool(call, tool, input, said.question._id) : errorResult(refusals.begun);
}

/** The question that a repeat names, with the user's answer. */
function saidIn({ body, project, apiKey }: McpCall) {
  const { requestState, inputResponses } = (body.params ?? {}) as { requestState?: unknown; inputResponses?: Json };
  const answer = inputResponses?.[QUESTION];
  if (typeof requestState !== 'string' || answer === undefined) return null;
  return { question: { _id: requestState, projectId: project._id, apiKeyId: apiKey._id }, answer };
}

async function ask({ deps, project, apiKey }: McpCall, { hash, mailing }: Planned): Promise<Json> {
  const owner = { projectId: project._id, apiKeyId: apiKey._id };
  const { _id } = await askConfirmation(deps, { ...owner, call: hash, people: mailing.people });
  const request = { method: 'elicitation/create', params: questionOf(mailing) };
  return { resultType: 'input_required', inputRequests: { [QUESTION]: request }, requestState: _id };
}
