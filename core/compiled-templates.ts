import { invalid } from './errors.ts';
import { compileTemplate, type Template, type TemplateKind } from './rules/templates.ts';

/** Characters of source that stay compiled in a process. */
const KEPT_LENGTH_MAX = 16_000_000;

const kept = new Map<string, Template>();
let keptLength = 0;

/** A source that is known is not read again. Throws 400 with the line when it does not parse, or uses what is not allowed. */
export function compiled(source: string, kind: TemplateKind, field: string): Template {
  const key = `${kind}:${source}`;
  const known = kept.get(key);
  if (known) return known;
  const made = compileTemplate(source, kind);
  if (!made.ok)
    throw invalid(
      `The template has a fault in ${field}, line ${made.line}: ${made.message}`,
      `${field}: line ${made.line}: ${made.message}`,
    );
  keep(key, made.template);
  return made.template;
}

function keep(key: string, template: Template): void {
  for (const oldest of kept.keys()) {
    if (keptLength + key.length <= KEPT_LENGTH_MAX) break;
    kept.delete(oldest);
    keptLength -= oldest.length;
  }
  if (key.length > KEPT_LENGTH_MAX) return;
  kept.set(key, template);
  keptLength += key.length;
}
