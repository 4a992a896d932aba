import { EverpostError } from './errors.ts';

export type Outcome<T> = { data: T; error: null } | { data: null; error: EverpostError };

/** The calls of each resource, without its streams. */
export type Safe<Resources> = {
  readonly [R in keyof Resources]: {
    readonly [V in keyof Resources[R]]: Resources[R][V] extends (...args: infer Args) => infer Answer
      ? Answer extends PromiseLike<infer Data>
        ? (...args: Args) => Promise<Outcome<Data>>
        : never
      : never;
  };
};

type Methods = Record<string, (...args: unknown[]) => unknown>;

export function safely(resources: Record<string, Methods>): Record<string, Methods> {
  const wrap =
    (call: Methods[string]) =>
    (...args: unknown[]) =>
      outcomeOf(call(...args) as PromiseLike<unknown>);
  return Object.fromEntries(
    Object.entries(resources).map(([resource, methods]) => [
      resource,
      Object.fromEntries(Object.entries(methods).map(([verb, call]) => [verb, wrap(call)])),
    ]),
  );
}

/** A fault of the program (a body that is no JSON) is thrown all the same. */
async function outcomeOf(call: PromiseLike<unknown>): Promise<Outcome<unknown>> {
  try {
    return { data: await call, error: null };
  } catch (error) {
    if (error instanceof EverpostError) return { data: null, error };
    throw error;
  }
}
