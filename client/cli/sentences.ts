import { readFileSync } from 'node:fs';

/** Compiled, they are declarations. */
const FILE = import.meta.url.endsWith('.ts') ? '../types.ts' : '../types.d.ts';

let source: string | undefined;

/** The comments of the types on the fields of a body or query, with the values that each may have. */
export function sentencesOf(type: string): Map<string, string> {
  source ??= readFileSync(new URL(FILE, import.meta.url), 'utf8');
  const lines = block(source, `export interface ${type} {`).split('\n');
  const indent = /^ */.exec(lines[0] ?? '')?.[0] ?? '';
  const sentences = new Map<string, string>();
  let comment = '';
  for (const line of lines) {
    const text = line.startsWith(`${indent} `) ? '' : line.trim();
    const [, name, value = ''] = /^(\w+)\??: ?(.*)/.exec(text) ?? [];
    if (text.startsWith('/**')) comment = text.slice(4, -3).replaceAll('*\\/', '*/');
    if (!name) continue;
    const choices = choicesOf(source, value);
    sentences.set(name, [comment, choices && `One of ${choices}.`].filter(Boolean).join(' '));
    comment = '';
  }
  return sentences;
}

function choicesOf(source: string, value: string): string {
  const [, alias] = /^([A-Z]\w+)(\[\])?;$/.exec(value) ?? [];
  const union = alias
    ? (new RegExp(`^export (?:declare )?type ${alias} =([^;]+);`, 'm').exec(source)?.[1] ?? '')
    : value;
  return /[{<]/.test(union) ? '' : [...union.matchAll(/'([^']*)'/g)].map(([, choice]) => choice).join(', ');
}

function block(text: string, start: string): string {
  const from = text.indexOf(`${start}\n`);
  return from < 0 ? '' : text.slice(from + start.length + 1, text.indexOf('\n}', from));
}
