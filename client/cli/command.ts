import type { Settings } from '../calls/transport.ts';
import type { Everpost } from '../index.ts';

/** Wrong usage: printed with a hint at the help, and exit code 2. */
export class UsageError extends Error {}

/** A flag, or a field of a body or query that is given as a flag. */
export interface Field {
  name: string;
  kind: 'text' | 'number' | 'boolean' | 'list' | 'object';
  isRequired?: boolean;
  /** Of an object: its values that are text. `*`: all of them. */
  texts?: string[] | undefined;
  about?: string;
}

export type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

export interface Given {
  positionals: string[];
  flags: Record<string, Value>;
}

export interface Context {
  /** Made at first use, so that help needs no key. */
  everpost(): Everpost;
  /** Address, key and fetch, for requests that are no operation. */
  settings(): Settings;
  /** For other programs: JSON, one value a line. */
  isJson: boolean;
  print(line: string): void;
  /** Without an end of line: for a line that moves. */
  write(text: string): void;
  /** For the person at the terminal: to standard error. */
  note(line: string): void;
  signal: AbortSignal;
  /** The width of the terminal; null when the output goes to a file or another program. */
  columns: number | null;
}

/** A command that is more than one operation of the table. */
export interface Command {
  /** ['campaigns', 'watch'] */
  words: readonly string[];
  /** Follows the words: 'ID [--types LIST]'. */
  usage: string;
  about: string;
  flags: readonly Field[];
  /** The type that says of its flags what their fields are for. */
  type?: string;
  /** Returns the exit code: 0, or 1 when the API refused or the thing that was watched failed. */
  run(context: Context, given: Given): Promise<number>;
}

export function onlyPositional({ positionals }: Given, name: string): string {
  const [value, ...more] = positionals;
  if (value === undefined) throw new UsageError(`Give ${name}.`);
  if (more.length > 0) throw new UsageError(`${more.join(' ')} is too much: give ${name} alone.`);
  return value;
}

export function noPositional({ positionals: [first] }: Given, hint = ''): void {
  if (first !== undefined) throw new UsageError(`${first} is too much${hint}.`);
}

export function textFlag({ flags }: Given, name: string): string | undefined {
  const value = flags[name];
  return value === undefined ? undefined : String(value);
}
