import {
  askConfirmation,
  useConfirmation,
  watchConfirmation,
  withdrawConfirmation,
} from '../../core/accounts/confirmations.ts';
import { EventStream, type ServerEvent } from '../http/endpoint.ts';
import { errorResult } from './content.ts';
import type { Peer } from './peer.ts';
import { type Mailing, mailings } from './people.ts';
import type { Planned } from './planned.ts';
import { codes, errorMessage, event, type Id, type Json, type McpCall, resultMessage } from './protocol.ts';
import { questionOf, refusals } from './questions.ts';
import { faultAnswer, runTool } from './run.ts';
import type { Session } from './session.ts';

/** A number that grows between question and call is asked about again, this often in all. */
const QUESTIONS_MAX = 3;
const HEARTBEAT_MS = 15_000;

type Events<Result> = AsyncGenerator<ServerEvent | null, Result>;

/** With sessions: the answer is a stream with the question in it, and the client posts the user's answer, which any process may take. */
export function confirmInStream(call: McpCall, peer: Peer, planned: Planned, id: Id): Json | EventStream {
  const { hasForms, session } = peer;
  if (!hasForms || !session) return errorResult(refusals.noForms);
  const stream = new QuestionStream(call, planned, { id, waiting: waitingName(session, id) });
  return new EventStream(stream.events(), (_reason, message) => stream.end(message));
}

/** The name by which `notifications/cancelled` finds the questions of a request. */
export function waitingName({ nonce }: Session, id: Id): string {
  return `${nonce} ${JSON.stringify(id)}`;
}

class QuestionStream {
  readonly #call: McpCall;
  readonly #planned: Planned;
  readonly #request: { id: Id; waiting: string };
  /** The client disconnected, the request was cancelled, or the server ends the stream: nothing is begun any more. */
  readonly #over = new AbortController();
  #hasBegun = false;

  constructor(call: McpCall, planned: Planned, request: { id: Id; waiting: string }) {
    this.#call = call;
    this.#planned = planned;
    this.#request = request;
    const { signal } = call.request;
    if (signal.aborted) this.#over.abort();
    else signal.addEventListener('abort', () => this.#over.abort());
  }

  async *events(): Events<void> {
    let result: Json;
    try {
      result = yield* this.#result();
    } catch (error) {
      result = faultAnswer(this.#call, this.#planned.tool, error);
    }
    if (!this.#over.signal.aborted) yield event(resultMessage(this.#request.id, result));
  }

  /** The last event when the server ends the stream. */
  end(reason: string): ServerEvent {
    this.#over.abort();
    const outcome = this.#hasBegun ? 'The call was running; see what became of it.' : 'Nothing was sent.';
    return event(errorMessage(this.#request.id, { code: codes.internal, message: `${reason} ${outcome}` }));
  }

  async *#result(): Events<Json> {
    const { tool, input } = this.#planned;
    let { mailing } = this.#planned;
    for (let questions = 0; questions < QUESTIONS_MAX; questions += 1) {
      const answer = yield* this.#ask(mailing);
      if (typeof answer === 'string') return errorResult(refusals[answer]);
      const now = await mailings[tool.endpoint.operation]?.(this.#call, input);
      if (this.#over.signal.aborted) return errorResult(refusals.withdrawn);
      if (!now || now.people <= answer) {
        this.#hasBegun = true;
        return runTool(this.#call, tool, input);
      }
      mailing = now;
    }
    return errorResult(refusals.grown);
  }

  /** The number of people that was confirmed, or why none. A question that was not used is withdrawn, whatever ends the stream. */
  async *#ask(mailing: Mailing): Events<number | keyof typeof refusals> {
    const { deps, project, apiKey } = this.#call;
    const call = this.#planned.hash;
    const owner = { projectId: project._id, apiKeyId: apiKey._id, waiting: this.#request.waiting };
    const question = await askConfirmation(deps, { ...owner, call, people: mailing.people });
    try {
      const params = questionOf(mailing);
      yield event({ jsonrpc: '2.0', id: question._id, method: 'elicitation/create', params });
      const state = yield* this.#wait(watchConfirmation(deps, question, this.#over.signal));
      if (state === 'withdrawn') this.#over.abort();
      if (this.#over.signal.aborted || state === 'pending') return 'withdrawn';
      if (state !== 'accepted') return state;
      return (await useConfirmation(deps, question, { call, from: 'accepted' })) ?? 'used';
    } finally {
      await withdrawConfirmation(deps, question).catch(() => {});
    }
  }

  async *#wait(states: ReturnType<typeof watchConfirmation>): Events<keyof typeof refusals | 'accepted' | 'pending'> {
    let spokeAt = performance.now();
    for await (const state of states) {
      if (state !== 'pending') return state;
      if (performance.now() - spokeAt < HEARTBEAT_MS) continue;
      spokeAt = performance.now();
      yield this.#signOfLife();
    }
    return 'pending';
  }

  /** Progress keeps the client's own time limit from ending the request; null is a comment in the stream. */
  #signOfLife(): ServerEvent | null {
    const { progressToken } = (this.#call.body.params?._meta ?? {}) as { progressToken?: string | number };
    if (progressToken === undefined) return null;
    const params = { progressToken, progress: Math.round(performance.now()), message: 'Waiting for the user.' };
    return event({ jsonrpc: '2.0', method: 'notifications/progress', params });
  }
}
