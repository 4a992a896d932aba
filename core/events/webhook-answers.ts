import type { CallerDeps } from '../base/deps.ts';
import { AppError } from '../base/errors.ts';
import { parseJson } from '../base/text/json.ts';
import type { EventsDeps } from './deps.ts';
import type { ProjectEvent } from './model.ts';

/** Answers of webhooks that steps of automations wait for. */

export const ANSWER_BYTES_MAX = 64 * 1024;

/** As much of the body as was asked for; too_large: there is more. */
export type AnswerBytes = Buffer | 'too_large';

export type Answered = { json: unknown } | { problem: string };

/** An answer to an event, which may come again, or that there is none. */
export interface StepAnswer extends Pick<ProjectEvent, '_id' | 'projectId' | 'data'> {
  at: Date;
  answered: Answered;
}

type AnswerSubscriber = (deps: CallerDeps, answer: StepAnswer) => Promise<unknown>;

declare module '../base/deps.ts' {
  interface Subscribers {
    webhookAnswers: readonly AnswerSubscriber[];
  }
}

/** An empty one is null. */
export function readAnswer(bytes: AnswerBytes): Answered {
  if (bytes === 'too_large') return { problem: `The answer has more than ${ANSWER_BYTES_MAX / 1024} KiB.` };
  if (bytes.toString('latin1').trim() === '') return { json: null };
  try {
    return { json: parseJson(bytes, 'answer') };
  } catch (error) {
    if (error instanceof AppError) return { problem: error.message };
    throw error;
  }
}

/** Before the end of the delivery is written: after a crash in between it is posted and announced again. */
export async function announceAnswer(deps: EventsDeps, event: ProjectEvent, answered: Answered): Promise<void> {
  const { _id, projectId, data } = event;
  const answer = { _id, projectId, data, at: deps.clock.now(), answered };
  for (const subscriber of deps.subscribers.webhookAnswers) await subscriber(deps, answer);
}
