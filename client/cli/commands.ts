import { campaignsWatch } from './campaigns-watch.ts';
import type { Command } from './command.ts';
import { contactsImport } from './contacts-import.ts';
import { eventsTail } from './events-tail.ts';
import { mcp } from './mcp/command.ts';
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

/** The command that the words begin with. */
export function findCommand(words: readonly string[]): Command | undefined {
  const own = commands.find((command) => command.words.every((word, index) => word === words[index]));
  const named = own ? undefined : operationNamed(words);
  return named ? operationCommand(named) : own;
}
