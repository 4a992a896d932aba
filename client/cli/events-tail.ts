import type { StreamEvent } from '../index.ts';
import { type Command, noPositional, textFlag } from './command.ts';
import { clean, printAnswer } from './print.ts';

/** The fields that say most about an event, as far as it has them. */
const FIELDS = ['email', 'contactId', 'campaignId', 'subject', 'reason', 'url', 'status'];

export const eventsTail: Command = {
  words: ['events', 'tail'],
  usage: '[--types LIST] [--after ID] [--count N]',
  about: 'Print every event of the project as it happens',
  flags: [
    { name: 'types', kind: 'list', about: 'Only these; a name may end in * (email.*).' },
    { name: 'after', kind: 'text', about: 'The id of the last event that was seen: those after it come first.' },
    { name: 'count', kind: 'number', about: 'Ends after so many.' },
  ],
  async run(context, given) {
    noPositional(given);
    const types = (given.flags.types as string[] | undefined)?.flatMap((each) => String(each).split(','));
    const after = textFlag(given, 'after');
    const most = Number(given.flags.count ?? Number.POSITIVE_INFINITY);
    let connections = 0;
    const onOpen = () => {
      connections += 1;
      context.note(connections === 1 ? 'Connected.' : 'Connected again.');
    };
    const query = { ...(types ? { types } : {}), ...(after === undefined ? {} : { after }) };
    let count = 0;
    for await (const event of context.everpost().stream(query, { signal: context.signal, onOpen })) {
      if (context.isJson) printAnswer(context, event);
      else context.print(lineOf(event));
      count += 1;
      if (count >= most) break;
    }
    return 0;
  },
};

function lineOf({ id, type, createdAt, data }: StreamEvent): string {
  const fields = data as unknown as Record<string, unknown>;
  const shown = FIELDS.filter((name) => typeof fields[name] === 'string' && fields[name] !== '').map((name) =>
    name === 'email' ? clean(fields[name]) : `${name}=${clean(fields[name])}`,
  );
  return [createdAt, id, type.padEnd(20), ...shown].join('  ');
}
