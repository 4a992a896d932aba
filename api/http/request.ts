import type { Context } from 'koa';
import type { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { type AnswerBytes, answerBytes } from '../../core/base/limits/answer-bytes.ts';
import type { Maker } from '../../core/base/maker.ts';
import type { RequestFacts } from './endpoint.ts';

/** A class: an object literal with a getter costs more to create than everything else in it. */
export class Request implements RequestFacts {
  readonly #context: Context;
  readonly #deps: Deps;
  readonly id: string;
  readonly at: Date;
  readonly seed: ObjectId;
  readonly by: Maker | undefined;

  constructor(deps: Deps, context: Context, { seed, at, by }: { seed: ObjectId; at: Date; by: Maker | undefined }) {
    this.#deps = deps;
    this.#context = context;
    this.id = context.state.requestId;
    this.at = at;
    this.seed = seed;
    this.by = by;
  }

  get ip(): string {
    return this.#context.state.ip;
  }

  get incoming(): RequestFacts['incoming'] {
    return this.#context.req;
  }

  get signal(): AbortSignal {
    const gone = new AbortController();
    const { res } = this.#context;
    if (res.closed) gone.abort();
    else res.once('close', () => gone.abort());
    return gone.signal;
  }

  get held(): AnswerBytes {
    const { res, state } = this.#context;
    const held = answerBytes(this.#deps, state.network);
    if (res.closed) held.release();
    else res.once('close', () => held.release());
    return held;
  }

  /** An arrow function, so that it also works when it is taken out of its request. */
  readonly header = (name: string): string => this.#context.get(name);
}
