/** The errors of what is in `path`, by their place within it. */
export function errorsIn(errors: Record<string, string>, path: string): Record<string, string> {
  const inside = Object.entries(errors).filter(([name]) => name.startsWith(`${path}/`));
  return Object.fromEntries(inside.map(([name, text]) => [name.slice(path.length + 1), text]));
}
