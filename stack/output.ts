/** A fault that the person at the terminal can mend: one sentence, no stack trace. */
export class StackError extends Error {}

export type Say = (line: string) => void;

export const say: Say = (line) => console.log(line);
export const quiet: Say = () => {};

export function seconds(sinceMs: number): string {
  return `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
