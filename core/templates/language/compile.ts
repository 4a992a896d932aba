import { type Escape, escapeFor, isSafeUrl } from '../html/escapes.ts';
import { advance, type Mark, type PlacedLink, type Position, placeValue, startPosition } from '../html/places.ts';
import {
  compileCall,
  compileExpression,
  type Expression,
  isHelperName,
  REFUSED_NAMES,
  type Reader,
} from './expressions.ts';
import type { BlockNode, CallNode, MustacheNode, ProgramNode, StatementNode } from './nodes.ts';
import { lineStartsOf, NESTING_MAX, TemplateSyntaxError } from './syntax.ts';
import { isTruthy, type Loop, type Run, type Scope, spend, textOf, write } from './values.ts';

export type TemplateKind = 'html' | 'text' | 'subject';
type Write = (scope: Scope, run: Run) => void;
/** Before the address of a link, with the link's number; it writes nothing. */
export interface LinkStart {
  link: number;
}
/** Text that is the same for all recipients, or a function that writes the rest. */
export type Op = string | Write | LinkStart;

/** A link of the source, by its place among all of them: the first one has number 1. */
export interface WrittenLink {
  /** With its variables as they are written. */
  url: string;
  /** False with data-no-track. */
  isTracked: boolean;
}

/** Further links have no number. */
const NUMBERED_MAX = 2_000;

interface Compiler extends Reader {
  kind: TemplateKind;
  /** Only in HTML, where escaping depends on the place. */
  position: Position;
  nesting: number;
  source: Source;
  links: Array<{ placed: PlacedLink; url: string }>;
}

interface Program {
  ops: Op[];
  paths: string[];
  links: WrittenLink[];
}

export function compileProgram(program: ProgramNode, kind: TemplateKind, text: string): Program {
  const compiler: Compiler = {
    ...{ kind, position: startPosition(), nesting: 0, scopes: 0, paths: new Set<string>() },
    ...{ source: new Source(text), links: [] },
  };
  const ops = compileBody(program.body, compiler);
  const links = compiler.links.map(({ placed, url }) => ({
    url: url.trim().replaceAll('&amp;', '&'),
    isTracked: placed.isTracked,
  }));
  return { ops, paths: [...compiler.paths], links };
}

export function runOps(ops: readonly Op[], scope: Scope, run: Run): void {
  for (const op of ops) {
    if (typeof op === 'string') write(run, op);
    else if (typeof op === 'function') {
      spend(run, 1);
      op(scope, run);
    } else run.links?.set(run.out.length, op.link);
  }
}

function compileBody(statements: StatementNode[], compiler: Compiler): Op[] {
  const ops: Op[] = [];
  let url: Op[] | null = null;
  /** The link whose address is read. */
  let written: Compiler['links'][number] | null = null;
  const closeUrl = () => {
    if (url) for (const op of checkedUrl(url)) append(ops, op);
    url = null;
    written = null;
  };
  const passMark = ({ opens, link }: Mark) => {
    closeUrl();
    if (!opens) return;
    url = [];
    if (!link || compiler.links.length >= NUMBERED_MAX) return;
    written = { placed: link, url: '' };
    ops.push({ link: compiler.links.push(written) });
  };
  const noteUrl = (text: string) => {
    if (written) written.url += text;
  };
  for (const statement of statements) {
    if (statement.type === 'ContentStatement') {
      const text = statement.value;
      let from = 0;
      for (const mark of compiler.kind === 'html' ? advance(compiler.position, text) : []) {
        append(url ?? ops, text.slice(from, mark.at));
        noteUrl(text.slice(from, mark.at));
        passMark(mark);
        from = mark.at;
      }
      append(url ?? ops, text.slice(from));
      noteUrl(text.slice(from));
    } else if (statement.type === 'MustacheStatement') {
      const { op, ...mark } = compileMustache(statement, compiler);
      if (mark.opens) passMark({ at: 0, ...mark });
      append(url ?? ops, op);
      noteUrl(written ? compiler.source.of(statement) : '');
    } else if (statement.type === 'BlockStatement') {
      append(url ?? ops, compileBlock(statement, compiler));
      noteUrl(written ? compiler.source.of(statement) : '');
    } else if (statement.type !== 'CommentStatement') {
      throw new TemplateSyntaxError(notSupported(statement.type), statement.loc.start);
    }
  }
  closeUrl();
  return ops;
}

function append(ops: Op[], op: Op): void {
  const last = ops.at(-1);
  if (typeof op === 'string' && typeof last === 'string') ops[ops.length - 1] = last + op;
  else if (op !== '') ops.push(op);
}

/** Texts of statements, as they are written. */
class Source {
  readonly #text: string;
  #lineStarts: number[] | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  of({ loc: { start, end } }: StatementNode): string {
    return this.#text.slice(this.#offsetOf(start), this.#offsetOf(end));
  }

  #offsetOf({ line, column }: StatementNode['loc']['end']): number {
    this.#lineStarts ??= lineStartsOf(this.#text);
    return (this.#lineStarts[line - 1] ?? 0) + column;
  }
}

/** The scheme of an address can only be checked when the whole address is rendered, unless fixed text settles it. */
function checkedUrl(ops: Op[]): Op[] {
  if (ops.every((op) => typeof op === 'string')) return ops;
  if (typeof ops[0] === 'string' && /[/?#:]/.test(ops[0]) && isSafeUrl(ops[0])) return ops;
  return [
    (scope, run) => {
      const before = run.out;
      run.out = '';
      runOps(ops, scope, run);
      const rendered = run.out;
      run.out = before;
      write(run, isSafeUrl(rendered) ? rendered : '#');
    },
  ];
}

function compileMustache(node: MustacheNode, compiler: Compiler): { op: Write } & Omit<Mark, 'at'> {
  const value = compileCall(node, compiler);
  const { place, ...mark } = compiler.kind === 'html' ? placeValue(compiler.position) : fixedPlace(compiler.kind);
  const escaped: Escape = escapeFor(place, !node.escaped);
  return { op: (scope, run) => write(run, escaped(textOf(value(scope, run), run))), ...mark };
}

function fixedPlace(kind: 'text' | 'subject'): ReturnType<typeof placeValue> {
  return { place: kind === 'text' ? 'plain' : 'line', opens: false };
}

function compileBlock(node: BlockNode, compiler: Compiler): Write {
  const { start: at } = node.loc;
  if (compiler.nesting >= NESTING_MAX)
    throw new TemplateSyntaxError(`Blocks are nested more than ${NESTING_MAX} deep.`, at);
  if ((node.program ?? node.inverse)?.blockParams)
    throw new TemplateSyntaxError('Block parameters ("as |x|") are not supported; use this and ../ instead.', at);
  if (node.path.type !== 'PathExpression')
    throw new TemplateSyntaxError('A block begins with a variable or a helper.', at);
  const name = node.path.original;
  switch (name) {
    case 'if':
    case 'unless':
      return compileCondition(node, compileTest(node, compiler), name === 'if', compiler);
    case 'each':
    case 'with': {
      const subject = compileOnly(node, compiler);
      return compileScoped(node, name === 'each' ? eachItem : withValue, subject, compiler);
    }
  }
  if (isHelperName(name)) {
    const call = compileCall(node, compiler);
    return compileCondition(node, (scope, run) => isTruthy(call(scope, run)), true, compiler);
  }
  if (node.params.length > 0 || node.hash || REFUSED_NAMES.includes(name))
    throw new TemplateSyntaxError(`There is no block "${name}".`, at);
  return compileScoped(node, eachOrWith, compileExpression(node.path, compiler), compiler);
}

type Test = (scope: Scope, run: Run) => boolean;

function compileCondition(node: BlockNode, test: Test, expected: boolean, compiler: Compiler): Write {
  const [main, inverse] = compileBranches(node, compiler, compiler.scopes);
  return (scope, run) => runOps(test(scope, run) === expected ? main : inverse, scope, run);
}

function compileTest(node: BlockNode, compiler: Compiler): Test {
  const [option, ...others] = node.hash?.pairs ?? [];
  if (option?.key !== 'includeZero' || others.length > 0) {
    const value = compileOnly(node, compiler);
    return (scope, run) => isTruthy(value(scope, run));
  }
  const value = compileOnly({ ...node, hash: undefined }, compiler);
  const withZero = compileExpression(option.value, compiler);
  return (scope, run) => {
    const tested = value(scope, run);
    return isTruthy(tested) || (tested === 0 && isTruthy(withZero(scope, run)));
  };
}

/** Runs its body for some values derived from the subject, and returns whether there was one. */
type Scoped = (subject: unknown, scope: Scope, run: Run, body: readonly Op[]) => boolean;

function compileScoped(node: BlockNode, scoped: Scoped, subject: Expression, compiler: Compiler): Write {
  const [main, inverse] = compileBranches(node, compiler, compiler.scopes + 1);
  return (scope, run) => {
    if (!scoped(subject(scope, run), scope, run, main)) runOps(inverse, scope, run);
  };
}

function eachItem(subject: unknown, scope: Scope, run: Run, body: readonly Op[]): boolean {
  if (typeof subject !== 'object' || subject === null) return false;
  const keys = Array.isArray(subject) ? null : Object.keys(subject);
  const count = keys ? keys.length : (subject as unknown[]).length;
  spend(run, count);
  for (let index = 0; index < count; index++) {
    const key = keys ? keys[index]! : index;
    const loop: Loop = { index, key, first: index === 0, last: index === count - 1, parent: scope.loop };
    const value = (subject as Record<string | number, unknown>)[key];
    runOps(body, { value, parent: scope, loop, root: scope.root }, run);
  }
  return count > 0;
}

function withValue(subject: unknown, scope: Scope, run: Run, body: readonly Op[]): boolean {
  if (!isTruthy(subject)) return false;
  runOps(body, { value: subject, parent: scope, loop: scope.loop, root: scope.root }, run);
  return true;
}

/** A section, `{{#items}}`, is a loop over an array and a scope for anything else. */
function eachOrWith(subject: unknown, scope: Scope, run: Run, body: readonly Op[]): boolean {
  return Array.isArray(subject)
    ? eachItem(subject, scope, run, body)
    : withValue(subject === true ? scope.value : subject, scope, run, body);
}

/** Both branches begin at the position of the block; the text after it is read from the end of the first. */
function compileBranches(node: BlockNode, compiler: Compiler, scopes: number): [Op[], Op[]] {
  const { position, nesting } = compiler;
  const start = { ...position };
  const isChain = node.inverse?.chained === true;
  const main = node.program ? compileBody(node.program.body, { ...compiler, scopes, nesting: nesting + 1 }) : [];
  const end = node.program ? { ...position } : null;
  Object.assign(position, start);
  const inverse = !node.inverse
    ? []
    : isChain
      ? [compileBlock(node.inverse.body[0] as BlockNode, compiler)]
      : compileBody(node.inverse.body, { ...compiler, nesting: nesting + 1 });
  if (end) Object.assign(position, end);
  return [main, inverse];
}

function compileOnly({ params: [only, ...others], hash, loc }: CallNode, compiler: Compiler): Expression {
  if (!only || others.length > 0 || hash)
    throw new TemplateSyntaxError('This block takes exactly one value.', loc.start);
  return compileExpression(only, compiler);
}

function notSupported(type: string): string {
  return /Partial/.test(type)
    ? 'Partials ({{> }}) are not supported here; in the code of a mail {{> name}} is a snippet, without values.'
    : 'Decorators ({{* }}) are not supported.';
}
