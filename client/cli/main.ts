#!/usr/bin/env node
import { settingsOf } from '../everpost.ts';
import { Everpost, EverpostError, version } from '../index.ts';
import { readArguments } from './arguments.ts';
import { type Context, type Given, UsageError } from './command.ts';
import { findCommand } from './commands.ts';
import { globalFlags, helpOf } from './help.ts';
import { printError } from './print.ts';

const REFUSED = 1;
const WRONG_USAGE = 2;
/** As shells report a program that SIGINT ended. */
const INTERRUPTED = 130;

const args = process.argv.slice(2);
const isJson = args.includes('--json');
const interrupted = new AbortController();
const print = (line: string) => void process.stdout.write(`${line}\n`);
const note = (line: string) => void process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const { before, words, after } = split(args);
  const flags = [...before, ...after];
  if (flags.includes('--version')) print(version);
  else if (words.length === 0 || words[0] === 'help') for (const line of helpOf(words.slice(1))) print(line);
  else if (flags.includes('--help') || flags.includes('-h')) for (const line of helpOf(words)) print(line);
  else {
    const command = findCommand(words);
    if (!command) throw new UsageError(`There is no command ${words.slice(0, 2).join(' ')}.`);
    // Ids, or a file.
    const rest = words.slice(command.words.length);
    const given = readArguments([...before, ...rest, ...after], [...command.flags, ...globalFlags]);
    return command.run(contextOf(given), given);
  }
  return 0;
}

/** Flags may come before the words too; from the next flag on nothing is a word. */
function split(all: readonly string[]) {
  let start = 0;
  while (all[start]?.startsWith('-')) start += /^--(base-?url|project-?id)$/i.test(all[start] ?? '') ? 2 : 1;
  const next = all.findIndex((arg, at) => at >= start && /^-./.test(arg));
  const end = next === -1 ? all.length : next;
  return { before: all.slice(0, start), words: all.slice(start, end), after: all.slice(end) };
}

/** Takes the flags of every command out of those given. */
function contextOf({ flags }: Given): Context {
  const { baseUrl, projectId } = flags;
  for (const { name } of globalFlags) delete flags[name];
  const options = {
    ...(typeof baseUrl === 'string' ? { baseUrl } : {}),
    ...(typeof projectId === 'string' ? { projectId } : {}),
  };
  let made: Everpost | undefined;
  return {
    everpost: () => {
      made ??= configured(() => new Everpost(options));
      return made;
    },
    settings: () => configured(() => settingsOf(options)),
    ...{ isJson, print, note, signal: interrupted.signal },
    write: (text) => void process.stdout.write(text),
    columns: process.stdout.isTTY ? process.stdout.columns || 80 : null,
  };
}

/** A missing key or address is wrong usage; calls that fail are not. */
function configured<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function codeOf(error: unknown): number {
  if (interrupted.signal.aborted) return INTERRUPTED;
  if (error instanceof UsageError) {
    note(`everpost: ${error.message}`);
    note('everpost help lists the commands; everpost help COMMAND says what one takes.');
    return WRONG_USAGE;
  }
  if (!(error instanceof EverpostError)) throw error;
  printError({ isJson, note }, error);
  return REFUSED;
}

// The second Ctrl-C ends it at once.
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());
// The reader of a pipe (head) has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : REFUSED));
process.exitCode = await main().catch(codeOf);
