/** Every character of the caller's text is literal; the searched field is stored in lower case. */
export function partOf(text: string): { $regex: string } {
  return { $regex: text.toLowerCase().replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&') };
}
