export interface AcceptedMessage {
  messageId: string | null;
  from: string;
  to: string[];
  bytes: number;
  raw: string | null;
}

/** A second is looked at in so many parts. */
const PARTS_OF_SECOND = 20;

const MESSAGE_ID = Buffer.from('\r\nMessage-ID: <');

/** Everything the sink said yes to, as a multiset of Message-IDs. */
export class Ledger {
  /** Raw text is kept of this many messages. */
  keepRaw: number;
  /** Full records are kept of this many; all are counted. */
  keepRecords: number;
  protocolErrors = 0;
  /** Messages with a bare CR or LF or a line above 998 bytes (mode strict). */
  badLines = 0;
  connections = 0;
  /** AUTH commands. */
  logins = 0;
  total = 0;
  recipients = 0;
  bytes = 0;
  firstAt = 0;
  lastAt = 0;
  /** The most messages within any second. */
  perSecondMost = 0;
  counts = new Map<string, number>();
  messages: AcceptedMessage[] = [];
  /** Messages of the last second, by twentieths, and their sum. */
  #lately = new Uint32Array(PARTS_OF_SECOND);
  #latest = 0;
  #lastSecond = 0;
  #waiters: { count: number; resolve: () => void }[] = [];

  constructor(keepRaw: number, keepRecords: number) {
    this.keepRaw = keepRaw;
    this.keepRecords = keepRecords;
  }

  accept(from: string, to: string[], parts: Buffer[], bytes: number): void {
    const [first = Buffer.alloc(0), ...more] = parts;
    // A network may bring a message in pieces of a few bytes.
    const messageId = messageIdOf(first) ?? (more.length > 0 ? messageIdOf(Buffer.concat(parts)) : null);
    this.lastAt = performance.now();
    if (this.total === 0) this.firstAt = this.lastAt;
    this.total++;
    this.#noteRate();
    this.recipients += to.length;
    this.bytes += bytes;
    const key = messageId ?? '';
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    if (this.messages.length < this.keepRecords) {
      const raw = this.messages.length < this.keepRaw ? unstuff(Buffer.concat(parts).toString('latin1')) : null;
      this.messages.push({ messageId, from, to, bytes, raw });
    }
    for (const waiter of this.#waiters) if (this.total >= waiter.count) waiter.resolve();
    if (this.#waiters.length > 0) this.#waiters = this.#waiters.filter(({ count }) => count > this.total);
  }

  /** Messages within the last second. */
  lastSecond(): number {
    this.#passTime(performance.now());
    return this.#lastSecond;
  }

  #noteRate(): void {
    this.#passTime(this.lastAt);
    this.#lately[this.#latest % PARTS_OF_SECOND]! += 1;
    this.#lastSecond += 1;
    this.perSecondMost = Math.max(this.perSecondMost, this.#lastSecond);
  }

  #passTime(now: number): void {
    const part = Math.floor((now * PARTS_OF_SECOND) / 1_000);
    for (let old = Math.max(this.#latest, part - PARTS_OF_SECOND) + 1; old <= part; old += 1) {
      this.#lastSecond -= this.#lately[old % PARTS_OF_SECOND]!;
      this.#lately[old % PARTS_OF_SECOND] = 0;
    }
    this.#latest = part;
  }

  has(messageId: string): boolean {
    return this.counts.has(messageId);
  }

  get duplicates(): number {
    return this.total - this.counts.size;
  }

  /** false when the time was over first. */
  async wait(count: number, timeoutMs: number): Promise<boolean> {
    if (this.total >= count) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.#waiters.push({ count, resolve });
    await promise;
    clearTimeout(timer);
    return this.total >= count;
  }

  reset(): void {
    this.protocolErrors = this.badLines = this.total = this.recipients = this.bytes = this.firstAt = this.lastAt = 0;
    this.counts = new Map();
    this.messages = [];
  }

  stats() {
    const seconds = (this.lastAt - this.firstAt) / 1_000;
    const { total, recipients, duplicates, bytes, connections, protocolErrors, badLines, perSecondMost } = this;
    const perSecond = seconds > 0 ? Math.round(total / seconds) : 0;
    return {
      messages: total,
      unique: this.counts.size,
      duplicates,
      recipients,
      bytes,
      connections,
      protocolErrors,
      badLines,
      seconds,
      perSecond,
      perSecondMost,
      lastSecond: this.lastSecond(),
    };
  }
}

function messageIdOf(head: Buffer): string | null {
  const at = head.indexOf(MESSAGE_ID);
  if (at !== -1) {
    const from = at + MESSAGE_ID.length - 1;
    const end = head.indexOf(62, from);
    return end === -1 ? null : head.toString('latin1', from, end + 1);
  }
  return /^message-id:\s*(<[^>]*>)/im.exec(head.toString('latin1', 0, 16_384))?.[1] ?? null;
}

function unstuff(raw: string): string {
  return raw.replace(/(^|\n)\./g, '$1');
}
