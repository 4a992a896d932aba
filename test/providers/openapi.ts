import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

type Node = Record<string, unknown>;

const documents = new Map<string, Node>();

/**
 * Faults of an answer against the provider's published description, less the places where that description
 * is known to be wrong about the wire: null where it says string, and the form of dynamic template ids.
 */
export function matchesSpec(file: string, method: string, path: string, status: number, body: unknown): string[] {
  const document = documents.get(file) ?? load(file);
  const schema = at(document, ['paths', path, method, 'responses', String(status)]);
  const content = at(resolve(document, schema), ['content', 'application/json', 'schema']) as Node;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, verbose: true });
  ajv.addSchema(document, 'spec');
  const validate = ajv.compile(rebase(content) as Node);
  validate(body);
  return (validate.errors ?? [])
    .filter((error) => !isKnownDefect(error))
    .map((error) => `${error.instancePath} ${error.message}`);
}

function load(file: string): Node {
  const document = parse(readFileSync(new URL(`../fixtures/providers/${file}.yaml`, import.meta.url), 'utf8')) as Node;
  documents.set(file, document);
  return document;
}

function isKnownDefect({ keyword, data }: ErrorObject): boolean {
  if (keyword === 'minLength' && String(data).startsWith('d-')) return true;
  return keyword === 'type' && data === null;
}

function resolve(document: Node, node: unknown): unknown {
  const ref = (node as Node | undefined)?.$ref;
  return typeof ref === 'string' ? at(document, ref.slice(2).split('/')) : node;
}

function at(node: unknown, path: string[]): unknown {
  return path.reduce<unknown>((found, part) => (found as Node | undefined)?.[part], node);
}

/** References point into the whole document. */
function rebase(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rebase);
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) =>
      key === '$ref' && typeof value === 'string' ? [key, `spec${value}`] : [key, rebase(value)],
    ),
  );
}
