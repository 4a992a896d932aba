import { dashed } from './arguments.ts';
import { type Command, type Field, UsageError } from './command.ts';
import { commands, findCommand } from './commands.ts';
import { allOperations, operationCommand } from './operation.ts';
import { sentencesOf } from './sentences.ts';

/** Every command takes them. */
export const globalFlags: readonly Field[] = [
  { name: 'json', kind: 'boolean', about: 'JSON for programs, one value a line; errors as JSON on standard error.' },
  { name: 'baseUrl', kind: 'text', about: 'In place of EVERPOST_BASE_URL.' },
  { name: 'projectId', kind: 'text', about: 'With an admin key: the project of the call.' },
];

/** After a longer left column the text is on a line of its own. */
const LEFT_MAX = 46;

/** `everpost help`, `everpost help campaigns`, `everpost help campaigns pause`. */
export function helpOf(words: readonly string[]): string[] {
  if (words.length === 0) return overview();
  const command = findCommand(words);
  return command ? helpOfCommand(command) : helpOfResource(words[0] ?? '');
}

function overview(): string[] {
  const resources = [...new Set(allOperations.map(({ resource }) => dashed(resource)))];
  return [
    'everpost COMMAND [--flags]',
    '',
    ...columns(commands.map(({ words, about }) => [words.join(' '), about])),
    '',
    'Every operation of the API is a command as well: everpost campaigns pause ID, everpost contacts list --limit 5.',
    `Resources: ${resources.join(', ')}`,
    'everpost help campaigns lists the operations of one; everpost help campaigns create says what that takes.',
    '',
    ...flagLines(globalFlags),
    '',
    'EVERPOST_API_KEY and EVERPOST_BASE_URL say who calls, and where the API is.',
    'Exit codes: 0 done, 1 the API refused or the thing that was watched failed, 2 wrong usage, 130 ended by Ctrl-C.',
  ];
}

function helpOfResource(word: string): string[] {
  const own = commands.filter(({ words }) => words[0] === dashed(word));
  const generic = allOperations
    .filter(({ resource }) => dashed(resource) === dashed(word))
    .map(operationCommand)
    .filter(({ words }) => !own.some((each) => each.words[1] === words[1]));
  if (own.length + generic.length === 0) throw new UsageError(`There is no command ${word}.`);
  return columns([...own, ...generic].map(({ words, usage, about }) => [[...words, ids(usage)].join(' '), about]));
}

function helpOfCommand({ words, usage, about, flags, type }: Command): string[] {
  const sentences = type ? sentencesOf(type) : new Map<string, string>();
  const explained = flags.map((flag) => ({ ...flag, about: flag.about ?? sentences.get(flag.name) ?? '' }));
  return [
    `everpost ${words.join(' ')} ${usage}`.trimEnd(),
    `  ${about}.`,
    '',
    ...flagLines([...explained, ...globalFlags]),
  ];
}

function flagLines(flags: readonly Field[]): string[] {
  const values = { text: ' TEXT', number: ' N', boolean: '', list: ' VALUE', object: ' JSON' };
  return columns(
    flags.map(({ name, kind, isRequired, about = '' }) => {
      return [`--${dashed(name)}${values[kind]}`, `${isRequired ? 'Required. ' : ''}${about}`];
    }),
  );
}

/** The usage up to its flags, which the help of the command itself lists. */
function ids(usage: string): string {
  return usage.split(/ ?\[?--/)[0] ?? '';
}

function columns(rows: [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => (left.length <= LEFT_MAX ? left.length : 0)));
  return rows.map(([left, right]) => {
    const gap = left.length <= LEFT_MAX ? '' : `\n${' '.repeat(width + 2)}`;
    return `  ${left.padEnd(width)}${gap}  ${right}`.trimEnd();
  });
}
