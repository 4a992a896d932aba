import { campaignsWatch } from './campaigns-watch.ts';
import { type Command, UsageError } from './command.ts';
import { contactsImport } from './contacts-import.ts';
import { eventsTail } from './events-tail.ts';
import { mcp } from './mcp.ts';
import { migrationsReplay, migrationsWatch } from './migrations-replay.ts';
import { operationCommand, operationNamed } from './operation.ts';
import { send } from './send.ts';

/** The commands that are more than one call. Every operation of the API is a command as well: see operation.ts. */
export const commands: readonly Command[] = [
  send,
  campaignsWatch,
  contactsImport,
  migrationsReplay,
  migrationsWatch,
  eventsTail,
  mcp,
];

/** The command that the words begin with, and the words that follow it: ids, or a file. */
export function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } {
  const own = commands.find((command) => command.words.every((word, index) => word === words[index]));
  if (own) return { command: own, rest: words.slice(own.words.length) };
  const named = operationNamed(words);
  if (named) return { command: operationCommand(named), rest: words.slice(2) };
  throw new UsageError(`There is no command ${words.slice(0, 2).join(' ')}.`);
}
