import { type Deps, oncePerCore } from '../deps.ts';
import { unavailable } from '../errors.ts';
import type { HeldBytes } from '../held-bytes.ts';

/** The bytes of one answer. */
export interface AnswerBytes extends HeldBytes {
  /** Gives all of them back; a repeat is harmless. */
  release(): void;
}

/** Of all answers of a process. A mail that is parsed takes several times its size. */
export const ANSWER_BYTES_MAX = 48 * 1024 * 1024;
/** Of all answers to one client, so that slow readers leave room for others. */
const CLIENT_BYTES_MAX = ANSWER_BYTES_MAX / 3;
const WAIT_MS = 2_000;
const RETRY_AFTER_SECONDS = 5;

interface Waiter {
  client: string;
  bytes: number;
  begin(): void;
}

/** A file that is larger than all of the room is read when no other is, and one larger than a client's when the client has no other. */
class ByteBudget {
  readonly #byClient = new Map<string, number>();
  #waiting: Waiter[] = [];
  #all = 0;

  take(client: string, bytes: number): Promise<void> {
    if (this.#fits(client, bytes)) {
      this.#hold(client, bytes);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting = this.#waiting.filter((one) => one !== waiter);
        reject(
          unavailable('Too many large files are being read; repeat the request in a few seconds.', RETRY_AFTER_SECONDS),
        );
      }, WAIT_MS);
      const waiter = {
        ...{ client, bytes },
        begin: () => {
          clearTimeout(late);
          resolve();
        },
      };
      this.#waiting.push(waiter);
    });
  }

  giveBack(client: string, bytes: number): void {
    this.#hold(client, -bytes);
    for (const waiter of [...this.#waiting]) {
      if (!this.#fits(waiter.client, waiter.bytes)) continue;
      this.#waiting = this.#waiting.filter((one) => one !== waiter);
      this.#hold(waiter.client, waiter.bytes);
      waiter.begin();
    }
  }

  #fits(client: string, bytes: number): boolean {
    const own = this.#byClient.get(client) ?? 0;
    return (this.#all === 0 || this.#all + bytes <= ANSWER_BYTES_MAX) && (own === 0 || own + bytes <= CLIENT_BYTES_MAX);
  }

  #hold(client: string, bytes: number): void {
    this.#all += bytes;
    const own = (this.#byClient.get(client) ?? 0) + bytes;
    if (own > 0) this.#byClient.set(client, own);
    else this.#byClient.delete(client);
  }
}

const budgetOf = oncePerCore((_deps: Pick<Deps, 'state'>) => new ByteBudget());

/** For one answer to a client, which is an address or a network. */
export function answerBytes(deps: Pick<Deps, 'state'>, client: string): AnswerBytes {
  const budget = budgetOf(deps);
  let own = 0;
  let isOver = false;
  return {
    async take(bytes) {
      await budget.take(client, bytes);
      if (isOver) {
        budget.giveBack(client, bytes);
        throw unavailable('The client has left.');
      }
      own += bytes;
    },
    release() {
      isOver = true;
      if (own > 0) budget.giveBack(client, own);
      own = 0;
    },
  };
}
