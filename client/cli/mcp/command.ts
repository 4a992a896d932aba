import { createInterface } from 'node:readline';
import { type Command, noPositional } from '../command.ts';
import { Forwarder } from './forwarder.ts';

export const mcp: Command = {
  words: ['mcp'],
  usage: '',
  about: 'Forward MCP from standard input and output to the API, for assistants that start a program',
  flags: [],
  async run(context, given) {
    noPositional(given);
    const forwarder = new Forwarder(context.settings(), context);
    for await (const line of createInterface({ input: process.stdin, signal: context.signal }))
      if (line.trim() !== '') await forwarder.take(line);
    await forwarder.end();
    return 0;
  },
};
