import { DAY_MS } from '../../../base/time/durations.ts';
import { COUNTS, type CountName } from '../../../mail/ledger/counting/facts.ts';
import { QUARTER_MS } from '../../../mail/ledger/counting/tally.ts';

const QUARTERS_A_DAY = 96;
/** Of a number that is not 0: its quarter of the day, the place of its name in COUNTS, and four bytes of the number. */
const BYTES_A_NUMBER = 6;

/** The counts of the quarters of a UTC day. */
export class DayCounts {
  readonly #numbers = new Int32Array(QUARTERS_A_DAY * COUNTS.length);

  /** `at` is any time of the day. */
  add(at: Date, name: CountName, by: number): void {
    this.#add(Math.floor((at.getTime() % DAY_MS) / QUARTER_MS), COUNTS.indexOf(name), by);
  }

  addAll(other: DayCounts): void {
    for (const [index, number] of other.#numbers.entries()) this.#numbers[index]! += number;
  }

  addStored(stored: Uint8Array): void {
    readNumbers(stored, (quarter, place, number) => this.#add(quarter, place, number));
  }

  /** As it is stored, in the order of time. */
  toBytes(): Buffer {
    const bytes = Buffer.alloc(this.#numbers.reduce((sum, number) => (number === 0 ? sum : sum + BYTES_A_NUMBER), 0));
    let end = 0;
    for (const [index, number] of this.#numbers.entries()) {
      if (number === 0) continue;
      bytes[end] = Math.floor(index / COUNTS.length);
      bytes[end + 1] = index % COUNTS.length;
      bytes.writeInt32LE(number, end + 2);
      end += BYTES_A_NUMBER;
    }
    return bytes;
  }

  #add(quarter: number, place: number, by: number): void {
    this.#numbers[quarter * COUNTS.length + place]! += by;
  }
}

/** Calls back for each number that is not 0, in the order of time, with the beginning of its quarter. */
export function readDay(
  day: Date,
  stored: Uint8Array,
  visit: (atMs: number, name: CountName, number: number) => void,
): void {
  const dayMs = day.getTime();
  readNumbers(stored, (quarter, place, number) => {
    const name = COUNTS[place];
    if (name) visit(dayMs + quarter * QUARTER_MS, name, number);
  });
}

function readNumbers(stored: Uint8Array, visit: (quarter: number, place: number, number: number) => void): void {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  for (let at = 0; at < bytes.length; at += BYTES_A_NUMBER)
    visit(bytes[at]!, bytes[at + 1]!, bytes.readInt32LE(at + 2));
}
