import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Download } from '../calls/downloads.ts';
import { Pages, type Pagination } from '../calls/pages.ts';
import { EverpostError } from '../errors.ts';
import { type Operation, operations } from '../operations.ts';
import { camelCase, dashed, parseJson } from './arguments.ts';
import { type Command, type Context, type Field, type Given, textFlag, UsageError } from './command.ts';
import { commandFields } from './fields.ts';
import { printAnswer, printEntries } from './print.ts';

const dataFlag: Field = {
  name: 'data',
  kind: 'text',
  about: 'The body as JSON, @file reads it; flags win over its fields.',
};
const keyFlag: Field = {
  name: 'idempotencyKey',
  kind: 'text',
  about: 'The same call again with the same key is done once.',
};
const allFlag: Field = { name: 'all', kind: 'boolean', about: 'The entries of every page.' };
const outputFlag: Field = { name: 'output', kind: 'text', about: 'The file to write; omitted: standard output.' };

/** A table of this many entries at once has columns of one width. */
const ENTRIES_AT_ONCE = 100;

/** Resource and verb; streams and uploads have commands of their own. */
export interface Named {
  resource: string;
  verb: string;
  operation: Operation;
}

export const allOperations: readonly Named[] = Object.entries(operations).flatMap(([resource, verbs]) =>
  Object.entries(verbs as Record<string, Operation>)
    .filter(([, { kind }]) => kind !== 'stream' && kind !== 'upload')
    .map(([verb, operation]) => ({ resource, verb, operation })),
);

/** "contact-lists add-contacts" and "contactLists addContacts" are both contactLists.addContacts. */
export function operationNamed([resource = '', verb = '']: readonly string[]): Named | undefined {
  const isSame = (name: string, word: string) => dashed(name) === dashed(camelCase(word));
  return allOperations.find((each) => isSame(each.resource, resource) && isSame(each.verb, verb));
}

/** One call, with its ids as words and its body or query as flags. */
export function operationCommand(named: Named): Command {
  const { resource, verb, operation } = named;
  const { about = '', type, fields: names = '' } = commandFields[`${resource}.${verb}`] ?? {};
  const fields = fieldsOf(names);
  const ids = idsOf(operation);
  const isPost = operation.method === 'POST';
  const flags = [
    ...fields,
    ...(operation.takes === 'body' ? [dataFlag] : []),
    ...(operation.kind === 'page' && operation.takes ? [allFlag] : []),
    ...(operation.kind === 'download' ? [outputFlag] : []),
    ...(isPost ? [keyFlag] : []),
  ];
  const needed = fields.filter(({ isRequired }) => isRequired).map(({ name }) => ` --${dashed(name)} ...`);
  const usage = [...ids.map((id) => dashed(id).toUpperCase()), needed.join('').trim()].filter(Boolean).join(' ');
  return {
    words: [dashed(resource), dashed(verb)],
    usage,
    about,
    flags,
    ...(type && { type }),
    run: (context, given) => run(context, named, given),
  };
}

function fieldsOf(names: string): Field[] {
  return names
    .split(' ')
    .filter(Boolean)
    .map((each) => {
      const [, name = '', kind, required, texts] = /^(\w+):(\w+)(!?)(?:\((.*)\))?$/.exec(each) ?? [];
      return { name, kind: kind as Field['kind'], isRequired: required === '!', texts: texts?.split(',') };
    });
}

function idsOf({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
}

async function run(context: Context, { resource, verb, operation }: Named, given: Given): Promise<number> {
  const ids = idsOf(operation);
  const { positionals, flags } = given;
  const missing = ids[positionals.length];
  if (missing) throw new UsageError(`Give ${dashed(missing).toUpperCase()}.`);
  if (positionals.length > ids.length) throw new UsageError(`${positionals.slice(ids.length).join(' ')} is too much.`);
  const { data, all, output, idempotencyKey, ...fields } = flags;
  const options = { signal: context.signal, ...(typeof idempotencyKey === 'string' ? { idempotencyKey } : {}) };
  const body = operation.takes === 'body' ? [bodyOf(textFlag(given, 'data'), fields)] : [];
  const query = operation.takes === 'query' ? [fields] : [];
  const methods = (context.everpost() as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>)[
    resource
  ];
  const called = methods?.[verb]?.(...positionals, ...body, ...query, options);
  if (called instanceof Pages) await (all ? printAll(context, called) : printPage(context, called, operation));
  else await printOther(context, await called, typeof output === 'string' ? output : undefined);
  return 0;
}

function bodyOf(data: string | undefined, fields: Given['flags']): unknown {
  if (data === undefined) return fields;
  const parsed = parseJson(data);
  if (Array.isArray(parsed) && Object.keys(fields).length === 0) return parsed;
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new UsageError('--data is a JSON object.');
  return { ...parsed, ...fields };
}

async function printPage(
  context: Context,
  pages: Pages<{ pagination: Pagination }, unknown>,
  { entries = '' }: Operation,
): Promise<void> {
  const page = await pages;
  if (context.isJson) return printAnswer(context, page);
  const shown = (page as unknown as Record<string, unknown[]>)[entries] ?? [];
  const { page: number, pages: last, total } = page.pagination;
  printEntries(context, shown);
  context.note(
    `${shown.length} of ${total}${number < last ? `; --page ${number + 1} is next, --all is all of them` : ''}`,
  );
}

async function printAll(context: Context, pages: AsyncIterable<unknown>): Promise<void> {
  const waiting: unknown[] = [];
  for await (const entry of pages) {
    waiting.push(entry);
    if (waiting.length === ENTRIES_AT_ONCE) printEntries(context, waiting.splice(0));
  }
  printEntries(context, waiting);
}

async function printOther(context: Context, answer: unknown, output: string | undefined): Promise<void> {
  if (!(answer instanceof Download)) return printAnswer(context, answer);
  if (output === undefined) return pipeline(answer, process.stdout, { end: false });
  await pipeline(answer, createWriteStream(output)).catch((error) => {
    throw error instanceof EverpostError ? error : new UsageError(`${output} cannot be written: ${error.message}.`);
  });
}
