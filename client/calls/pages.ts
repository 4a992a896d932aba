export interface Pagination {
  page: number;
  limit: number;
  total: number;
  pages: number;
}

/** Entries a page when the caller walks over all of them and has asked for no number: the most that a page may have. */
const WALK_LIMIT = 100;

export interface Asked {
  page?: number | undefined;
  limit?: number | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: as every promise has it.
type OnError<B> = ((error: any) => B | PromiseLike<B>) | null | undefined;

/**
 * `await` gives one page as the API answers it; `for await` goes over the entries of this page and all that follow. Nothing is asked
 * before one of the two.
 */
export class Pages<Page extends { pagination: Pagination }, Entry> implements Promise<Page>, AsyncIterable<Entry> {
  readonly [Symbol.toStringTag] = 'Pages';
  readonly #ask: (asked: Asked) => Promise<Page>;
  readonly #asked: Asked;
  readonly #entries: string;
  #page: Promise<Page> | undefined;

  /** `entries` is the field of the page that holds them. */
  constructor(ask: (asked: Asked) => Promise<Page>, asked: Asked, entries: string) {
    this.#ask = ask;
    this.#asked = asked;
    this.#entries = entries;
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise that asks only when it is awaited.
  then<A = Page, B = never>(
    onPage?: ((page: Page) => A | PromiseLike<A>) | null,
    onError?: OnError<B>,
  ): Promise<A | B> {
    this.#page ??= this.#ask(this.#asked);
    return this.#page.then(onPage, onError);
  }

  catch<B = never>(onError?: OnError<B>): Promise<Page | B> {
    return this.then(undefined, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<Page> {
    return this.then().finally(onEnd);
  }

  /** An entry that is created during the walk moves the others by one: what the page before had already is left out. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Entry> {
    const { page: first = 1, limit = WALK_LIMIT } = this.#asked;
    let before = new Set<unknown>();
    for (let page = first; ; page += 1) {
      const answer = await this.#ask({ page, limit });
      const entries = (answer as unknown as Record<string, Entry[]>)[this.#entries] ?? [];
      for (const entry of entries) if (!before.has(idOf(entry))) yield entry;
      if (page >= answer.pagination.pages) return;
      before = new Set(entries.map(idOf).filter((id) => id !== undefined));
    }
  }
}

function idOf(entry: unknown): unknown {
  return (entry as { id?: unknown } | null)?.id;
}
