import { readFileSync } from 'node:fs';
import { type Field, type Given, UsageError, type Value } from './command.ts';

/** Reads what follows the words of a command. Flags may be written in camelCase or with dashes: --previewText, --preview-text. */
export function readArguments(args: readonly string[], fields: readonly Field[]): Given {
  const given: Given = { positionals: [], flags: {} };
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (arg === '--') return { ...given, positionals: [...given.positionals, ...args.slice(at + 1)] };
    if (!arg.startsWith('--')) {
      given.positionals.push(arg);
      continue;
    }
    const { path, field, isNegated, inline } = flagOf(arg, fields);
    const takesNext = inline === undefined && (field.kind !== 'boolean' || path.length > 1);
    if (takesNext) at += 1;
    const text = takesNext ? args[at] : (inline ?? String(!isNegated));
    if (text === undefined) throw new UsageError(`${arg} needs a value.`);
    put(given.flags, path, field, readValue(text, { ...field, kind: kindAt(path, field) }));
  }
  return given;
}

function flagOf(arg: string, fields: readonly Field[]) {
  const [, word = '', inline] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(arg) ?? [];
  const [first = '', ...inner] = word.split('.');
  const find = (name: string) => fields.find((field) => field.name === name);
  const plain = find(camelCase(first));
  if (plain) return { path: [plain.name, ...innerPath(inner, plain)], field: plain, isNegated: false, inline };
  const negated = word.startsWith('no-') ? find(camelCase(word.slice(3))) : undefined;
  if (negated?.kind === 'boolean' && inline === undefined)
    return { path: [negated.name], field: negated, isNegated: true, inline };
  const known = fields.map(({ name }) => `--${dashed(name)}`).join(' ');
  throw new UsageError(`There is no ${arg.split('=')[0]} here. ${known ? `Known: ${known}` : 'No flags are known.'}`);
}

/** Headers, which the schema does not name, are written as they are typed. */
function innerPath(inner: string[], { texts = [] }: Field): string[] {
  return texts.includes('*') ? inner : inner.map(camelCase);
}

function kindAt([, inner, ...deeper]: string[], { kind, texts = [] }: Field): Field['kind'] {
  if (inner === undefined) return kind;
  return deeper.length === 0 && (texts.includes(inner) || texts.includes('*')) ? 'text' : 'object';
}

/** --from.email a@example.com is {from: {email: 'a@example.com'}}; a list grows with each use. */
function put(flags: Record<string, Value>, path: string[], { kind }: Field, value: Value): void {
  const [name = '', ...inner] = path;
  if (inner.length > 0) {
    const within = flags[name];
    const object = typeof within === 'object' && within !== null && !Array.isArray(within) ? within : {};
    put(object, inner, { name: inner[0] ?? '', kind: 'object' }, value);
    flags[name] = object;
  } else if (kind === 'list') {
    const before = flags[name];
    flags[name] = [...(Array.isArray(before) ? before : []), ...(Array.isArray(value) ? value : [value])];
  } else flags[name] = value;
}

/** @file is the text of that file, @- of the standard input; @@ is an @. */
function readValue(given: string, { name, kind }: Field): Value {
  const text = /^@[^@]/.test(given) ? readText(given.slice(1)) : given.replace(/^@@/, '@');
  if (kind === 'text') return text;
  const parsed = parseJson(text);
  if (kind === 'number' && typeof parsed !== 'number') throw new UsageError(`--${dashed(name)} is a number.`);
  if (kind === 'boolean' && typeof parsed !== 'boolean') throw new UsageError(`--${dashed(name)} is true or false.`);
  if (kind === 'list' && !Array.isArray(parsed) && !isObject(parsed)) return text;
  // Inside an object the type is not known: 1.10 is a version, and a number of twenty digits an order.
  if (kind === 'object' && typeof parsed === 'number' && String(parsed) !== text) return text;
  return parsed === undefined ? text : parsed;
}

function isObject(value: Value | undefined): boolean {
  return typeof value === 'object' && value !== null;
}

/** undefined: not JSON. */
export function parseJson(text: string): Value | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

export function camelCase(word: string): string {
  return word.replace(/-+([a-zA-Z])/g, (_, letter: string) => letter.toUpperCase());
}

/** providerA is provider-a; onExistUpdateHTML is on-exist-update-html. */
export function dashed(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}
