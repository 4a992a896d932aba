import { invalid } from '../base/errors.ts';
import { compileTemplate, type Template, type TemplateKind } from './language/templates.ts';

/** Characters of source that stay compiled in a process. */
const KEPT_LENGTH_MAX = 16_000_000;
/**
 * Each mail may have a subject of its own, so short sources count as at least this long: sources used once must not stay by the
 * ten thousand.
 */
const OF_EACH_LENGTH = 5_000;

const kept = {
  html: new Map<string, Template>(),
  text: new Map<string, Template>(),
  subject: new Map<string, Template>(),
};
let keptLength = 0;

/**
 * A cached source is not parsed again. Throws 400 with line and column when it does not parse, or uses a construct that is not allowed.
 */
export function compiled(source: string, kind: TemplateKind, field: string): Template {
  const known = kept[kind].get(source);
  if (known) return known;
  const template = compiledOnce(source, kind, field);
  keep(source, kind, template);
  return template;
}

/** For a source that is not used again: a draft changes with each key that is typed. */
export function compiledOnce(source: string, kind: TemplateKind, field: string): Template {
  const made = compileTemplate(source, kind);
  if (!made.ok) {
    const { line, column } = made;
    throw invalid(
      `The template has a fault in ${field}, line ${line}, column ${column}: ${made.message}`,
      `${field}: line ${line}, column ${column}: ${made.message}`,
    );
  }
  return made.template;
}

/** When the room is used up the cache is cleared: sources in use are soon compiled again. */
function keep(source: string, kind: TemplateKind, template: Template): void {
  const length = source.length + OF_EACH_LENGTH;
  if (keptLength + length > KEPT_LENGTH_MAX) {
    for (const some of Object.values(kept)) some.clear();
    keptLength = 0;
  }
  if (length > KEPT_LENGTH_MAX) return;
  kept[kind].set(source, template);
  keptLength += length;
}
