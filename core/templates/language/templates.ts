import { compileProgram, type LinkStart, type Op, runOps, type TemplateKind, type WrittenLink } from './compile.ts';
import { parseTemplate, TemplateSyntaxError } from './syntax.ts';
import { type Limits, MAIL_LIMITS, property, type Run, type Scope, TemplateRenderError } from './values.ts';

export { type TemplateKind, TemplateRenderError, type WrittenLink };

/** Reading HTML costs time for each tag: this is more than a mail of 1 MiB has when most of it is text. */
export const TAGS_IN_HTML_MAX = 50_000;
const DATA_LENGTH_MAX = 256 * 1024;
const DATA_DEPTH_MAX = 10;
const DATA_KEYS_MAX = 5_000;

export interface Template {
  readonly kind: TemplateKind;
  readonly ops: readonly Op[];
  /** The variables that the source names, as dotted paths; "" means all of them. */
  readonly paths: readonly string[];
  /** The links of HTML, in the order of the source. */
  readonly links: readonly WrittenLink[];
}

/** The numbers of links, by the offsets at which their addresses begin. */
export type LinkNumbers = Map<number, number>;

export type Variables = Readonly<Record<string, unknown>>;

type CompiledTemplate = { ok: true; template: Template } | { ok: false; message: string; line: number; column: number };

/** Text that all recipients share, or a function that renders a part that differs. */
type TemplatePart = string | ((variables: Variables) => string);

/** The limits of several renderings, and the steps that they took so far. */
export interface Budget {
  limits: Limits;
  spent: number;
}

const START = { line: 1, column: 1 };

/** Parses a template once, for any number of renderings; no part of it becomes code. */
export function compileTemplate(source: string, kind: TemplateKind): CompiledTemplate {
  if (kind === 'html' && hasTooManyTags(source)) return { ok: false, message: TOO_MANY_TAGS, ...START };
  try {
    return { ok: true, template: { kind, ...compileProgram(parseTemplate(source), kind, source) } };
  } catch (error) {
    if (error instanceof TemplateSyntaxError) {
      const { message, line, column } = error;
      return { ok: false, message, line, column };
    }
    if (error instanceof RangeError) return { ok: false, message: 'The template is nested too deeply.', ...START };
    throw error;
  }
}

/** A template of literal text: braces are ordinary text. */
export function literalTemplate(text: string, kind: TemplateKind): Template {
  return { kind, ops: [text], paths: [], links: [] };
}

/**
 * Throws TemplateRenderError when these variables make it too long or too slow; a missing variable is empty. `links` is filled with
 * the numbers of the links.
 */
export function renderTemplate(template: Template, variables: Variables, links?: LinkNumbers): string {
  const text = render(template.ops, variables, links);
  if (template.kind === 'html' && hasTooManyTags(text)) throw new TemplateRenderError(TOO_MANY_TAGS);
  return text;
}

/** For short texts that share the steps of a budget. */
export function renderShort({ ops }: Template, variables: Variables, budget: Budget): string {
  const { spent: steps, limits } = budget;
  const run: Run = { out: '', steps, limits, links: undefined };
  try {
    runOps(ops, scopeOf(variables), run);
    return run.out;
  } finally {
    budget.spent = run.steps;
  }
}

/** The template as fixed text and holes, in order: the rendered holes and the texts joined are the whole mail. */
export function templateParts(template: Template): TemplatePart[] {
  return linkedParts(template).filter((part) => typeof part !== 'object');
}

/** The same with the starts of its links. */
export function linkedParts(template: Template): Array<TemplatePart | LinkStart> {
  return template.ops.map((op) => (typeof op === 'function' ? (variables) => render([op], variables) : op));
}

/** The value at a dotted path, as a template finds it. */
export function variableOf(variables: Variables, path: string): unknown {
  return path.split('.').reduce<unknown>(property, variables);
}

/** The problem of a caller's variables, or null: they are stored and walked for every recipient. */
export function variablesProblem(variables: unknown): string | null {
  let keys = 0;
  let length = 0;
  const pending: { value: unknown; depth: number }[] = [{ value: variables, depth: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, depth } = next;
    length += typeof value === 'string' ? value.length : 8;
    if (length > DATA_LENGTH_MAX) return `must be at most ${DATA_LENGTH_MAX / 1024} kB`;
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= DATA_DEPTH_MAX) return `must be at most ${DATA_DEPTH_MAX} levels deep`;
    for (const [key, child] of Object.entries(value)) {
      if (++keys > DATA_KEYS_MAX) return `must have at most ${DATA_KEYS_MAX} keys`;
      length += key.length;
      pending.push({ value: child, depth: depth + 1 });
    }
  }
  return null;
}

const TOO_MANY_TAGS = `The HTML has more than ${TAGS_IN_HTML_MAX} tags.`;

function hasTooManyTags(html: string): boolean {
  let tags = 0;
  for (let at = html.indexOf('<'); at >= 0 && tags <= TAGS_IN_HTML_MAX; at = html.indexOf('<', at + 1)) tags++;
  return tags > TAGS_IN_HTML_MAX;
}

function render(ops: readonly Op[], variables: Variables, links?: LinkNumbers): string {
  const run: Run = { out: '', steps: 0, limits: MAIL_LIMITS, links };
  runOps(ops, scopeOf(variables), run);
  return run.out;
}

function scopeOf(variables: Variables): Scope {
  return { value: variables, parent: null, loop: null, root: variables };
}
