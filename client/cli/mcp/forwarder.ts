import { parseEvents } from '../../calls/server-events.ts';
import { reasonOf, type Settings } from '../../calls/transport.ts';
import {
  errorFor,
  headersOf,
  type Id,
  INTERNAL_ERROR,
  isRequest,
  type Message,
  PARSE_ERROR,
  parsed,
  sessionOf,
} from './messages.ts';

interface Out {
  print(line: string): void;
  note(line: string): void;
}

/** A message on its way, until its answer is there. */
interface Open {
  message: Message;
  ending: AbortController;
  /** The API waits for an answer of the user, which comes in a message of its own. */
  hasAsked: boolean;
  work: Promise<void>;
}

/** Lines of JSON-RPC in, requests to the API, lines of JSON-RPC out. */
export class Forwarder {
  readonly #settings: Settings;
  readonly #out: Out;
  readonly #open = new Map<Id | symbol, Open>();
  #session: Record<string, string> = {};
  #isOver = false;

  constructor(settings: Settings, out: Out) {
    this.#settings = settings;
    this.#out = out;
  }

  /** Resolves when the next line may come: the session that `initialize` begins goes with those behind it. */
  async take(line: string): Promise<void> {
    const message = parsed(line);
    if (!message) return this.#write(errorFor(null, PARSE_ERROR, 'This line is not a message of JSON-RPC.'));
    if (message.method === 'notifications/cancelled') return this.#cancel(message.params?.requestId);
    const key = message.id !== undefined && message.method !== undefined ? message.id : Symbol('no request');
    const open: Open = { message, ending: new AbortController(), hasAsked: false, work: Promise.resolve() };
    this.#open.set(key, open);
    open.work = this.#forward(open, line).finally(() => this.#open.delete(key));
    if (message.method === 'initialize') await open.work;
  }

  /** No more messages come, so a question to the user has no answer any more. Other requests are answered. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const { hasAsked, ending } of this.#open.values()) if (hasAsked) ending.abort();
    await Promise.all([...this.#open.values()].map(({ work }) => work));
  }

  /** The API notices that the connection is closed. */
  #cancel(id: Id | undefined): void {
    if (id !== undefined) this.#open.get(id)?.ending.abort();
  }

  async #forward(open: Open, line: string): Promise<void> {
    const { message, ending } = open;
    try {
      const isAnswered = await this.#answer(open, await this.#post(open, line));
      if (isRequest(message) && !isAnswered)
        throw new Error('The connection to the API ended before the answer; see what became of this call.');
    } catch (error) {
      if (ending.signal.aborted) return;
      const { message: text } = error as Error;
      if (isRequest(message)) this.#write(errorFor(message.id as Id, INTERNAL_ERROR, text));
      else this.#out.note(`everpost: ${text}`);
    }
  }

  async #post({ message, ending: { signal } }: Open, body: string): Promise<Response> {
    const { baseUrl, headers, fetch } = this.#settings;
    const types = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
    const sent = { ...headers, ...types, ...headersOf(message, this.#session) };
    try {
      return await fetch(`${baseUrl}/v1/mcp`, { method: 'POST', headers: sent, body, signal });
    } catch (error) {
      throw new Error(`The API at ${baseUrl} cannot be reached: ${reasonOf(error)}.`);
    }
  }

  /** True when the answer to a request was written. */
  async #answer(open: Open, response: Response): Promise<boolean> {
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) return this.#stream(open, response);
    const answer = parsed(await response.text());
    const isMessage = answer?.jsonrpc !== undefined;
    if (!response.ok && (!isMessage || !isRequest(open.message)))
      throw new Error(answer?.error?.message ?? `The API answered with status ${response.status}.`);
    if (!isMessage) return false;
    if (open.message.method === 'initialize') this.#session = sessionOf(response, answer);
    this.#write(answer);
    return true;
  }

  async #stream(open: Open, response: Response): Promise<boolean> {
    let isAnswered = false;
    for await (const { event, data } of parseEvents(response.body as unknown as AsyncIterable<Uint8Array>)) {
      const inside = event === 'message' && data !== undefined ? parsed(data) : null;
      if (!inside) continue;
      this.#write(inside);
      open.hasAsked ||= isRequest(inside);
      if (open.hasAsked && this.#isOver) open.ending.abort();
      isAnswered ||= inside.method === undefined && inside.id === open.message.id;
    }
    return isAnswered;
  }

  #write(message: object): void {
    this.#out.print(JSON.stringify(message));
  }
}
