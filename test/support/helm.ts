import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';

/**
 * Renders the templates of a chart with the few words of Helm that ours use: define, include, if, else, range, with, and the functions
 * below. It knows no others, so a template that needs more fails here. Where Helm is installed a test compares the two.
 */

type Values = Record<string, unknown>;

/** A manifest of Kubernetes, as far as the tests look into it. */
export interface Manifest {
  apiVersion?: string;
  kind?: string;
  metadata: { name: string; annotations?: Record<string, string>; [other: string]: unknown };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another one
  spec: any;
}

interface Scope {
  dot: unknown;
  variables: Record<string, unknown>;
}

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'value'; expression: string }
  | { kind: 'if' | 'with' | 'range'; expression: string; body: Node[]; otherwise: Node[] };

const RELEASE = { Name: 'mail', Namespace: 'post', Service: 'Helm' };

/** The manifests of a chart in their order, with these values over its own. */
export function renderChart(folder: string, given: Values = {}): Manifest[] {
  const chart = parse(readFileSync(join(folder, 'Chart.yaml'), 'utf8')) as Values;
  const values = merged(parse(readFileSync(join(folder, 'values.yaml'), 'utf8')) as Values, given);
  const Chart = { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion };
  const root = { Values: values, Release: RELEASE, Chart };
  const files = readdirSync(join(folder, 'templates'), { encoding: 'utf8' }).filter((name) =>
    /\.(tpl|yaml)$/.test(name),
  );
  const engine = new Templates();
  const parsed = files.map((name) => engine.parse(readFileSync(join(folder, 'templates', name), 'utf8')));
  const texts = parsed.map((nodes) => engine.render(nodes, { dot: root, variables: { $: root } }));
  const documents = texts.flatMap((text) => parseAllDocuments(text));
  for (const { errors } of documents) if (errors[0]) throw errors[0];
  return documents.map((document) => document.toJS() as Manifest | null).filter((one) => one !== null);
}

function merged(base: Values, over: Values): Values {
  const isMap = (value: unknown): value is Values => isObject(value) && !Array.isArray(value);
  return Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(over)])].map((key) => {
      const [before, after] = [base[key], over[key]];
      return [key, isMap(before) && isMap(after) ? merged(before, after) : key in over ? after : before];
    }),
  );
}

class Templates {
  #defined = new Map<string, Node[]>();

  parse(source: string): Node[] {
    const trimmed = source.replace(/\s*\{\{-/g, '{{').replace(/-\}\}\s*/g, '}}');
    const parts = trimmed.split(/\{\{([\s\S]*?)\}\}/);
    const top: Node[] = [];
    const stack = [{ word: '', into: top, node: null as Node | null }];
    for (const [index, part] of parts.entries()) {
      const { into } = stack.at(-1)!;
      const text = part.trim();
      const [, word = '', rest = ''] = /^(\w*)\s*([\s\S]*)$/.exec(text) ?? [];
      if (index % 2 === 0) into.push({ kind: 'text', text: part });
      else if (word === 'define') {
        const body: Node[] = [];
        this.#defined.set(JSON.parse(rest), body);
        stack.push({ word, into: body, node: null });
      } else if (word === 'if' || word === 'with' || word === 'range') {
        const node: Node = { kind: word, expression: rest, body: [], otherwise: [] };
        into.push(node);
        stack.push({ word, into: node.body, node });
      } else if (text === 'else') {
        const { node } = stack.at(-1)!;
        if (node && 'otherwise' in node) stack.at(-1)!.into = node.otherwise;
      } else if (text === 'end') stack.pop();
      else if (!text.startsWith('/*')) into.push({ kind: 'value', expression: text });
    }
    if (stack.length !== 1) throw new Error(`A block is not closed: ${stack.at(-1)?.word}`);
    return top;
  }

  render(nodes: Node[], scope: Scope): string {
    return nodes.map((node) => this.#one(node, scope)).join('');
  }

  #one(node: Node, scope: Scope): string {
    if (node.kind === 'text') return node.text;
    if (node.kind === 'value') return String(this.#pipeline(node.expression, scope) ?? '');
    const [, key = '', name = '', expression = ''] =
      /^(?:(\$\w+)(?:, (\$\w+))? := )?([\s\S]*)$/.exec(node.expression)?.map((part) => part ?? '') ?? [];
    const value = this.#pipeline(expression, scope);
    if (!isTrue(value)) return this.render(node.otherwise, scope);
    if (node.kind === 'if') return this.render(node.body, scope);
    if (node.kind === 'with') return this.render(node.body, { ...scope, dot: value });
    const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value as Values).toSorted();
    return entries
      .map(([at, dot]) => {
        const named = name ? { [key]: at, [name]: dot } : key ? { [key]: dot } : {};
        return this.render(node.body, { dot, variables: { ...scope.variables, ...named } });
      })
      .join('');
  }

  #pipeline(expression: string, scope: Scope): unknown {
    return expression.split(' | ').reduce<unknown>((last, call, index) => {
      const words = call.trim().match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
      const given = index === 0 ? [] : [last];
      const name = words[0] ?? '';
      if (!/^[a-zA-Z]/.test(name)) return read(name, scope);
      const use = this.#functions[name];
      if (!use) throw new Error(`The renderer of the tests does not know ${name}; test/support/helm.ts`);
      return use(...words.slice(1).map((word) => read(word, scope)), ...given);
    }, undefined);
  }

  // biome-ignore lint/suspicious/noExplicitAny: values of templates have any type
  #functions: Record<string, (...given: any[]) => unknown> = {
    include: (name: string, dot: unknown) => {
      const nodes = this.#defined.get(name);
      if (!nodes) throw new Error(`There is no template ${name}.`);
      return this.render(nodes, { dot, variables: { $: dot } });
    },
    toYaml: (value: unknown) => stringify(value).trimEnd(),
    nindent: (spaces: number, text: string) => `\n${text.replace(/^(?=.)/gm, ' '.repeat(spaces))}`,
    quote: (value: unknown) => JSON.stringify(String(value)),
    toString: String,
    upper: (text: string) => text.toUpperCase(),
    default: (other: unknown, value: unknown) => (isTrue(value) ? value : other),
    eq: (one: unknown, ...others: unknown[]) => others.includes(one),
    ne: (one: unknown, other: unknown) => one !== other,
    not: (value: unknown) => !isTrue(value),
  };
}

function read(word: string, { dot, variables }: Scope): unknown {
  if (/^["\d]/.test(word)) return JSON.parse(word);
  const [first = '', ...path] = word.split('.');
  return path
    .filter(Boolean)
    .reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), first === '' ? dot : variables[first]);
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null;
}

function isTrue(value: unknown): boolean {
  return isObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}
