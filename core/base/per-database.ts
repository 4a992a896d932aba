/** Makes one instance per database, when it is first asked for: calls that are to be joined must reach the same instance. */
export function perDatabase<Given extends { db: object }, Made>(make: (deps: Given) => Made): (deps: Given) => Made {
  const made = new WeakMap<object, Made>();
  return (deps) => {
    const known = made.get(deps.db) ?? make(deps);
    made.set(deps.db, known);
    return known;
  };
}
