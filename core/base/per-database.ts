/** One of a kind for each database, made when it is first asked for: what is to be joined must come to the same place. */
export function perDatabase<Given extends { db: object }, Made>(make: (deps: Given) => Made): (deps: Given) => Made {
  const made = new WeakMap<object, Made>();
  return (deps) => {
    const known = made.get(deps.db) ?? make(deps);
    made.set(deps.db, known);
    return known;
  };
}
