import type { SmtpReply } from '../model.ts';
import type { CountName, Fact } from './facts.ts';

export const QUARTER_MS = 900_000;
const REPLY_TEXT_MAX = 160;
const SEPARATORS = /[^\p{L}\d]/u;
const SHORT_NAME = 4;
const ENHANCED = /^4\.([0-7])\.(\d{1,2})$/;
const CODES = new Set([421, 422, 431, 432, 441, 442, 447, 449, 450, 451, 452, 453, 454, 455, 458, 459, 471]);

/** The facts of a quarter of an hour about recipients at one mailbox provider. */
export interface Cell {
  at: Date;
  provider: string;
  counts: Partial<Record<CountName, number>>;
  /** Of the deferrals, by code. */
  replies?: CellReply[];
}

export interface CellReply {
  /** The codes, such as "421 4.7.0"; '' when the connection ended without a reply. */
  reply: string;
  count: number;
  /** A text of such a reply, without addresses and numbers. */
  text: string;
}

export function quarterOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS);
}

/** Adds facts up by quarter of an hour and provider. */
export class Tally {
  readonly #cells = new Map<string, Cell>();

  add(facts: readonly Fact[], provider: string, email = ''): void {
    for (const { did, at, by, reply } of facts) {
      const cell = this.#cellOf(quarterOf(at), provider);
      cell.counts[did] = (cell.counts[did] ?? 0) + by;
      if (did === 'deferred') addReply(cell, reply ?? null, email);
    }
  }

  /** Without counts that add up to nothing. */
  cells(): Cell[] {
    return [...this.#cells.values()].flatMap((cell) => {
      const counts = Object.fromEntries(Object.entries(cell.counts).filter(([, count]) => count !== 0));
      return Object.keys(counts).length > 0 ? [{ ...cell, counts }] : [];
    });
  }

  #cellOf(at: Date, provider: string): Cell {
    const key = `${at.getTime()} ${provider}`;
    const known = this.#cells.get(key);
    if (known) return known;
    const cell: Cell = { at, provider, counts: {} };
    this.#cells.set(key, cell);
    return cell;
  }
}

function addReply(cell: Cell, said: SmtpReply | null, email: string): void {
  const reply = said ? codesOf(said) : '';
  cell.replies ??= [];
  const known = cell.replies.find((one) => one.reply === reply);
  if (known) known.count += 1;
  else cell.replies.push({ reply, count: 1, text: said ? withoutPeople(said.text, email) : '' });
}

/** Few enough to be kept, whatever a server makes up. */
function codesOf({ code, enhanced }: SmtpReply): string {
  const known = CODES.has(code) ? String(code) : '4xx';
  return enhanced && ENHANCED.test(enhanced) ? `${known} ${enhanced}` : known;
}

/** For texts that outlive the mail, or are shown for many: no word of them names the recipient. */
export function withoutPeople(text: string, email: string): string {
  const [local = ''] = email.split('@');
  const names = local.split(SEPARATORS).map(lettersOf);
  const isPersonal = (word: string) => /@|\d{3}/.test(word) || names.some((name) => isNamed(lettersOf(word), name));
  const words = text.slice(0, REPLY_TEXT_MAX).split(/\s/);
  return words.map((word) => (isPersonal(word) ? '…' : word)).join(' ');
}

/** Short names are parts of ordinary words. */
function isNamed(word: string, name: string): boolean {
  return name.length < SHORT_NAME ? name.length > 1 && word === name : word.includes(name);
}

function lettersOf(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\d]/gu, '');
}
