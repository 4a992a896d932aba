import { HELPERS } from './helpers.ts';
import type { CallNode, ExpressionNode, HashNode, PathNode } from './nodes.ts';
import { TemplateSyntaxError } from './syntax.ts';
import { type Loop, property, type Run, type Scope, spend } from './values.ts';

const EXPRESSION_DEPTH_MAX = 10;
const PATH_PARTS_MAX = 20;
const BLOCK_HELPERS = ['if', 'unless', 'each', 'with'];
/** Names that mean something in Handlebars and must not quietly render empty here. */
export const REFUSED_NAMES = ['lookup', 'log', 'helperMissing', 'blockHelperMissing'];

export type Expression = (scope: Scope, run: Run) => unknown;

export interface Reader {
  /** The number of enclosing blocks that change `this`. */
  scopes: number;
  /** The paths that the template reads of its variables, as far as the source shows. */
  paths: Set<string>;
}

export function isHelperName(name: string): boolean {
  return HELPERS.has(name);
}

/** A variable, `{{name default="there"}}`, or a helper with its arguments. */
export function compileCall(node: CallNode, reader: Reader, depth = 0): Expression {
  const { start: at } = node.loc;
  if (node.path.type !== 'PathExpression') {
    if (node.params.length > 0 || node.hash)
      throw new TemplateSyntaxError('A tag begins with a variable or a helper.', at);
    return compileExpression(node.path, reader, depth);
  }
  const { path } = node;
  const name = path.original;
  const isName = path.parts.length === 1 && path.depth === 0 && !path.data && path.parts[0] === name;
  if (isName && (REFUSED_NAMES.includes(name) || BLOCK_HELPERS.includes(name)))
    throw new TemplateSyntaxError(`"${name}" cannot be used here.`, at);
  if (node.params.length === 0) return compileVariable(path, node.hash, reader, depth);
  const helper = isName ? HELPERS.get(name) : undefined;
  if (!helper)
    throw new TemplateSyntaxError(`There is no helper "${name}"; there are ${[...HELPERS.keys()].join(', ')}.`, at);
  const [min, max] = helper.arguments;
  if (node.params.length < min || node.params.length > max || node.hash)
    throw new TemplateSyntaxError(`"${name}" takes ${min === max ? min : `${min} to ${max}`} values.`, at);
  const values = node.params.map((param) => compileExpression(param, reader, depth + 1));
  return (scope, run) => {
    spend(run, 1);
    return helper.call(
      values.map((value) => value(scope, run)),
      run,
    );
  };
}

export function compileExpression(node: ExpressionNode, reader: Reader, depth = 0): Expression {
  if (depth > EXPRESSION_DEPTH_MAX)
    throw new TemplateSyntaxError(`Helpers are nested more than ${EXPRESSION_DEPTH_MAX} deep.`, node.loc.start);
  switch (node.type) {
    case 'PathExpression':
      return compilePath(node, reader);
    case 'SubExpression':
      return compileCall(node, reader, depth + 1);
    case 'StringLiteral':
    case 'NumberLiteral':
    case 'BooleanLiteral': {
      const { value } = node;
      return () => value;
    }
    case 'UndefinedLiteral':
    case 'NullLiteral':
      return () => null;
    default:
      throw new TemplateSyntaxError('Lists and objects cannot be written in a tag.', node.loc.start);
  }
}

function compileVariable(path: PathNode, hash: HashNode | undefined, reader: Reader, depth: number): Expression {
  const value = compilePath(path, reader);
  if (!hash) return value;
  const [pair, ...others] = hash.pairs;
  if (pair?.key !== 'default' || others.length > 0)
    throw new TemplateSyntaxError('After a variable only default="..." may follow.', path.loc.start);
  const otherwise = compileExpression(pair.value, reader, depth + 1);
  const { call } = HELPERS.get('default')!;
  return (scope, run) => call([value(scope, run), otherwise(scope, run)], run);
}

function compilePath(path: PathNode, reader: Reader): Expression {
  const { start: at } = path.loc;
  if (path.parts.length > PATH_PARTS_MAX)
    throw new TemplateSyntaxError(`A path has more than ${PATH_PARTS_MAX} parts.`, at);
  const parts: string[] = [];
  for (const part of path.parts) {
    if (typeof part !== 'string') throw new TemplateSyntaxError('A path cannot go on after a helper.', at);
    parts.push(part);
  }
  if (path.data) return compileData(path, parts, reader);
  if (path.depth >= reader.scopes) reader.paths.add(path.depth > reader.scopes ? '' : parts.join('.'));
  const { depth } = path;
  const [only] = parts;
  if (depth === 0 && parts.length === 1) return (scope) => property(scope.value, only!);
  return (scope) => {
    let from: Scope | null = scope;
    for (let up = 0; up < depth && from; up++) from = from.parent;
    return walk(from?.value, parts);
  };
}

/** `@root`, `@index`, `@key`, `@first`, `@last`, and `@../index` for the enclosing loop. */
function compileData(path: PathNode, [name, ...rest]: string[], reader: Reader): Expression {
  if (name === 'root') {
    reader.paths.add(rest.join('.'));
    return (scope) => walk(scope.root, rest);
  }
  if ((name !== 'index' && name !== 'key' && name !== 'first' && name !== 'last') || rest.length > 0)
    throw new TemplateSyntaxError(
      `There is no "${path.original}"; there are @root, @index, @key, @first and @last.`,
      path.loc.start,
    );
  return ({ loop }) => {
    let from: Loop | null = loop;
    for (let up = 0; up < path.depth && from; up++) from = from.parent;
    return from?.[name];
  };
}

function walk(value: unknown, parts: readonly string[]): unknown {
  let at = value;
  for (const part of parts) at = property(at, part);
  return at;
}
