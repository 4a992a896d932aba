/** Of a test that failed; without a file when the run itself ended. */
export interface Failure {
  readonly file: string | null;
  readonly title: string;
  readonly text: string;
}

/** Files in which a test failed once and then passed alone. */
const unsettledMax = 3;
/** Lines of test/unsettled.md. */
export const knownMax = 10;

/** The files to run once more; null when no second try can make the run pass. */
export function secondTries(failures: readonly Failure[], holdsPromise: (file: string) => boolean): string[] | null {
  const files = [...new Set(failures.map(({ file }) => file))];
  const named = files.filter((file) => file !== null);
  if (named.length < files.length || named.length > unsettledMax || named.some(holdsPromise)) return null;
  return named;
}

/** A line for each test that passed at its second try. The run is accepted when all their files are known. */
export function judge(
  passedAlone: readonly Failure[],
  known: ReadonlySet<string>,
): { lines: string[]; isAccepted: boolean } {
  const lines = passedAlone.map(({ file, title }) =>
    file && known.has(file)
      ? `unsettled: ${file}, ${title}`
      : `unsettled: ${file}, ${title}. Mend it, or write a line with the date and the cause into test/unsettled.md.`,
  );
  return { lines, isAccepted: passedAlone.every(({ file }) => file && known.has(file)) };
}

/** The files that test/unsettled.md names: `- test/x.test.ts, 2026-11-26: what is known of the cause`. */
export function readKnown(page: string): Set<string> {
  const lines = page.split('\n').filter((line) => line.startsWith('- '));
  if (lines.length > knownMax)
    throw new Error(`test/unsettled.md has ${lines.length} lines; ${knownMax} are the most.`);
  return new Set(
    lines.map((line) => {
      const [, file] = /^- (test\/\S+\.test\.ts), \d{4}-\d\d-\d\d: \S.+/.exec(line) ?? [];
      if (!file) throw new Error(`test/unsettled.md: write "- file, date: cause" instead of "${line}".`);
      return file;
    }),
  );
}
