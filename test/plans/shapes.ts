import type { Document } from 'mongodb';

/** One kind of operation on one collection: everything but the values. */
export interface Shape {
  collection: string;
  /** find, aggregate, findAndModify, update, remove, distinct, count */
  op: string;
  /** Its keys with their operators; `$or` and `$and` with the shapes of their branches. */
  filter: string;
  sort: string;
  namesProject: boolean;
  /** Collection, op, filter and sort on one line: how the table of exceptions names it. */
  text: string;
  /** One of its commands, as it can be explained. */
  command: Document;
  /** Of the plans that MongoDB took while the traffic ran. */
  plans: Set<string>;
}

const INTERNAL = ['system.profile', 'system.views', '$cmd'];

/** The shapes among the entries of a profile. Inserts have no filter, and a `getMore` belongs to its first command. */
export function shapesOf(profile: readonly Document[]): Map<string, Shape> {
  const shapes = new Map<string, Shape>();
  for (const entry of profile) {
    const shape = shapeOf(entry);
    if (!shape) continue;
    const known = shapes.get(shape.text) ?? shape;
    known.plans.add(entry.planSummary ?? 'none');
    shapes.set(shape.text, known);
  }
  return shapes;
}

function shapeOf({ op, ns, command = {} }: Document): Shape | null {
  const collection = (ns as string).slice((ns as string).indexOf('.') + 1);
  if (INTERNAL.some((name) => collection.includes(name)) || command.$truncated) return null;
  const read = readCommand(op, collection, command);
  if (!read) return null;
  const filter = filterShape(read.filter);
  const sort = read.sort ? Object.keys(read.sort).join(',') : '';
  const text = `${collection} ${read.name} ${filter}${sort ? ` sort ${sort}` : ''}`;
  return {
    ...{ collection, op: read.name, filter, sort, text, namesProject: namesProject(read.filter) },
    ...{ command: read.command, plans: new Set<string>() },
  };
}

interface Read {
  name: string;
  filter: Document;
  sort?: Document | undefined;
  command: Document;
}

const EXPLAINED = ['filter', 'sort', 'projection', 'hint', 'limit', 'skip', 'singleBatch', 'collation'];

function readCommand(op: string, collection: string, command: Document): Read | null {
  if (op === 'update') {
    const { q, u, multi = false, upsert = false, hint, c, arrayFilters } = command;
    const update = { q, u, multi, upsert, ...given({ hint, c, arrayFilters }) };
    return { name: 'update', filter: q, command: { update: collection, updates: [update] } };
  }
  if (op === 'remove') {
    const { q, limit, hint } = command;
    return { name: 'remove', filter: q, command: { delete: collection, deletes: [{ q, limit, ...given({ hint }) }] } };
  }
  if (command.find) {
    const { filter = {}, sort } = command;
    return { name: 'find', filter, sort, command: { find: collection, ...only(command, EXPLAINED) } };
  }
  if (command.findAndModify || command.findandmodify) {
    const { query = {}, sort } = command;
    const rest = only(command, [
      'query',
      'sort',
      'update',
      'remove',
      'new',
      'upsert',
      'fields',
      'hint',
      'arrayFilters',
    ]);
    return { name: 'findAndModify', filter: query, sort, command: { findAndModify: collection, ...rest } };
  }
  if (command.aggregate) {
    const [first = {}, ...later] = command.pipeline as Document[];
    const sort = later.slice(0, 1).find((stage) => stage.$sort)?.$sort;
    const body = { aggregate: collection, pipeline: command.pipeline, cursor: {}, ...only(command, ['hint']) };
    const stages = (command.pipeline as Document[]).map((stage) => Object.keys(stage)[0]?.slice(1)).join(' ');
    return { name: `aggregate[${stages}]`, filter: first.$match ?? {}, sort, command: body };
  }
  if (command.distinct) {
    const { query = {}, key } = command;
    return { name: `distinct ${key}`, filter: query, command: { distinct: collection, key, query } };
  }
  if (command.count) {
    const { query = {} } = command;
    return { name: 'count', filter: query, command: { count: collection, query } };
  }
  return null;
}

/** `{projectId, state: $in}`; of equalities the key alone. */
export function filterShape(filter: Document): string {
  const parts = Object.entries(filter).map(([key, value]) => {
    if (key === '$expr') return '$expr';
    if (key.startsWith('$') && Array.isArray(value)) {
      const branches = [...new Set(value.map((one) => filterShape(one as Document)))].toSorted();
      return `${key}[${branches.join(' ')}]`;
    }
    const operators = isOperators(value) ? Object.keys(value).toSorted() : [];
    return operators.length > 0 ? `${key}: ${operators.join(' ')}` : key;
  });
  return `{${[...new Set(parts)].toSorted().join(', ')}}`;
}

function isOperators(value: unknown): value is Document {
  return (
    value !== null &&
    typeof value === 'object' &&
    Object.getPrototypeOf(value) === Object.prototype &&
    Object.keys(value).some((key) => key.startsWith('$'))
  );
}

/** Whether the filter asks for one project, or for listed ones. */
function namesProject(filter: Document): boolean {
  const { projectId, $and = [], $or = [] } = filter;
  if (projectId !== undefined && (!isOperators(projectId) || projectId.$in || projectId.$eq)) return true;
  return $and.some(namesProject) || ($or.length > 0 && $or.every(namesProject));
}

function only(command: Document, keys: readonly string[]): Document {
  return Object.fromEntries(keys.flatMap((key) => (command[key] === undefined ? [] : [[key, command[key]]])));
}

function given(fields: Document): Document {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
