import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { type Node, parse } from 'acorn';

export interface FoundPattern {
  /** File and line. */
  at: string;
  pattern: RegExp;
}

const root = join(import.meta.dirname, '../..');
const FOLDERS = ['api', 'core', 'platform', 'schemas', 'workers', 'workflows', 'activities', 'stack/mailbox'];

// biome-ignore lint/suspicious/noExplicitAny: a syntax tree is walked by its shape.
type Tree = any;

/** Every regular expression of production code: literals, `new RegExp` of constants, and `pattern` in schemas. */
export function findPatterns(): { found: FoundPattern[]; unresolved: string[] } {
  const found: FoundPattern[] = [];
  const unresolved: string[] = [];
  for (const file of FOLDERS.flatMap(sources)) {
    const tree = read(file);
    const constants = constantsOf(tree);
    walk(tree, (node: Tree) => {
      const made = patternOf(node, constants, file);
      if (made === undefined) return;
      const at = `${file}:${node.loc.start.line}`;
      if (made) found.push({ at, pattern: made });
      else unresolved.push(at.replace(/:\d+$/, ''));
    });
  }
  return { found, unresolved };
}

/** undefined: the node is no pattern. null: it is one that is only known when the program runs. */
function patternOf(node: Tree, constants: Map<string, string>, file: string): RegExp | null | undefined {
  if (node.regex) return new RegExp(node.regex.pattern, node.regex.flags);
  if (isRegExpCall(node)) {
    const [source, flags] = node.arguments.map((argument: Tree) => textOf(argument, constants));
    return source === null || flags === null ? null : new RegExp(source, flags ?? '');
  }
  if (!file.startsWith('schemas/') || node.type !== 'Property' || node.key.name !== 'pattern') return undefined;
  // Another pattern that is named here is found where it is written.
  if (node.value.type === 'MemberExpression') return undefined;
  const source = textOf(node.value, constants);
  return source === null ? null : new RegExp(source, 'u');
}

function isRegExpCall({ type, callee }: Tree): boolean {
  return (type === 'NewExpression' || type === 'CallExpression') && callee.name === 'RegExp';
}

function textOf(node: Tree, constants: Map<string, string>): string | null {
  if (node.type === 'Literal') return String(node.value);
  if (node.type === 'Identifier') return constants.get(node.name) ?? null;
  if (node.type !== 'TemplateLiteral') return null;
  const values = node.expressions.map((value: Tree) => textOf(value, constants));
  if (values.includes(null)) return null;
  return node.quasis.map((quasi: Tree, index: number) => quasi.value.cooked + (values[index] ?? '')).join('');
}

function constantsOf(tree: Tree): Map<string, string> {
  const constants = new Map<string, string>();
  walk(tree, (node: Tree) => {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'const') return;
    for (const { id, init } of node.declarations) {
      const text = init && textOf(init, constants);
      if (id.type === 'Identifier' && text) constants.set(id.name, text);
    }
  });
  return constants;
}

function read(file: string): Node {
  const source = readFileSync(join(root, file), 'utf8');
  const script = file.endsWith('.ts') ? stripTypeScriptTypes(source) : source;
  return parse(script, { ecmaVersion: 'latest', sourceType: 'module', locations: true });
}

function walk(node: Tree, visit: (node: Tree) => void): void {
  if (typeof node?.type === 'string') visit(node);
  for (const [key, child] of Object.entries(node))
    if (typeof child === 'object' && child !== null && key !== 'loc') walk(child, visit);
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
