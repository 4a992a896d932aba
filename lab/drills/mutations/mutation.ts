/** One line of production code made wrong, and the tests that must notice it. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Part of one line, once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
  /** Of the titles, where a file has many tests. */
  readonly grep?: string;
}

/** The fault of an entry of the list; null when it can be tried. */
export function faultOf(
  { name, file, find, replace, tests }: Mutation,
  textOf: (file: string) => string | null,
): string | null {
  const text = textOf(file);
  if (text === null) return `"${name}" names ${file}, which is not there.`;
  const count = text.split(find).length - 1;
  if (count !== 1) return `"${name}" needs its text exactly once in ${file}, where it is ${count} times: ${find}`;
  if (find.includes('\n') || replace.includes('\n') || find === replace) return `"${name}" must change one line.`;
  const missing = tests.find((test) => textOf(test) === null);
  return missing ? `"${name}" names ${missing}, which is not there.` : null;
}
