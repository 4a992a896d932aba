import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContactImport } from '../index.ts';
import { type Command, type Context, onlyPositional, UsageError } from './command.ts';
import { countsLine, number, printAnswer } from './print.ts';
import { progressLine } from './progress.ts';

const LOOK_EVERY_MS = 500;

export const contactsImport: Command = {
  words: ['contacts', 'import'],
  usage: 'FILE [--list-ids IDS] [--format csv|ndjson] [--run-workflow] [--no-wait]',
  about: 'Import contacts from a CSV or NDJSON file, and show how far it is',
  flags: [
    { name: 'listIds', kind: 'text', about: 'Lists that every contact joins, comma separated.' },
    { name: 'format', kind: 'text', about: 'csv or ndjson; omitted: seen from the file.' },
    { name: 'runWorkflow', kind: 'boolean', about: 'Automations start for these contacts.' },
    { name: 'wait', kind: 'boolean', about: '--no-wait ends after the upload.' },
  ],
  async run(context, given) {
    const path = onlyPositional(given, 'the file');
    const { wait = true, ...query } = given.flags;
    const { signal } = context;
    const { contacts } = context.everpost();
    const line = progressLine(context);
    const show = (percent: number) => line.show({ label: 'uploading', percent, text: '' });
    try {
      const file = path === '-' ? { name: 'stdin', stream: () => process.stdin } : openFile(path, show);
      const accepted = await contacts.import(file, query as Parameters<typeof contacts.import>[1], { signal });
      if (!wait) printAnswer(context, accepted);
      return wait ? await follow(context, accepted.importId, line) : 0;
    } finally {
      line.end();
    }
  },
};

function openFile(path: string, onPercent: (percent: number) => void) {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new UsageError(`There is no file ${path}.`);
  async function* counted() {
    let read = 0;
    for await (const chunk of createReadStream(path)) {
      yield chunk as Uint8Array;
      read += (chunk as Uint8Array).length;
      onPercent((read / size!) * 100);
    }
  }
  return { name: basename(path), stream: counted };
}

async function follow(context: Context, id: string, line: ReturnType<typeof progressLine>): Promise<number> {
  for (;;) {
    const state = await context.everpost().imports.get(id, { signal: context.signal });
    const { status, percent, processed } = state;
    line.show({ label: status, percent, text: `${number(processed)} rows` });
    if (status !== 'queued' && status !== 'running') return end(context, state, line);
    await sleep(LOOK_EVERY_MS, undefined, { signal: context.signal });
  }
}

function end(context: Context, state: ContactImport, line: ReturnType<typeof progressLine>): number {
  line.end();
  const { id, status, created, updated, unchanged, failed, failureReason } = state;
  if (context.isJson) printAnswer(context, state);
  else {
    context.print(countsLine(status, { created, updated, unchanged, failed }));
    if (failureReason) context.note(failureReason);
    if (failed > 0) context.note(`The rows that failed, with their reasons: everpost imports errors ${id}`);
  }
  return status === 'failed' ? 1 : 0;
}
