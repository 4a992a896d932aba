/** How long a rendering may take, and how long its text may be. */
export interface Limits {
  readonly steps: number;
  readonly length: number;
}

export const MAIL_LIMITS: Limits = { steps: 200_000, length: 2_000_000 };
const CHARACTERS_A_STEP = 100;

/** A template that these variables make too long or too slow; the message says what the caller can change. */
export class TemplateRenderError extends Error {}

export interface Run {
  out: string;
  steps: number;
  limits: Limits;
  /** Where the addresses of links begin in `out`, with the numbers of the links; not kept when it is left out. */
  links: Map<number, number> | undefined;
}

/** The start of a path: the current value, the enclosing scope, and its loop. */
export interface Scope {
  value: unknown;
  parent: Scope | null;
  loop: Loop | null;
  root: unknown;
}

export interface Loop {
  index: number;
  key: string | number;
  first: boolean;
  last: boolean;
  parent: Loop | null;
}

export function spend(run: Run, steps: number): void {
  run.steps += steps;
  const { steps: max } = run.limits;
  if (run.steps > max)
    throw new TemplateRenderError(`Rendering takes more than ${max} steps: the loops run too often.`);
}

export function write(run: Run, text: string): void {
  run.out += text;
  const { length: max } = run.limits;
  if (run.out.length > max) throw new TemplateRenderError(`The rendered text is longer than ${max} characters.`);
}

/** Own properties only: inherited ones cannot be reached from a template. */
export function property(value: unknown, name: string): unknown {
  if (typeof value === 'string') return name === 'length' ? value.length : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

export function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** The text of a value; an object has none. Long values cost more steps, as they take more time. */
export function textOf(value: unknown, run: Run): string {
  switch (typeof value) {
    case 'string':
      if (value.length > CHARACTERS_A_STEP) spend(run, Math.ceil(value.length / CHARACTERS_A_STEP));
      return value;
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
      if (!Array.isArray(value)) return '';
      spend(run, value.length);
      return value.map((item) => textOf(item, run)).join(',');
    default:
      return '';
  }
}
