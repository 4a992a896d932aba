/** Every character of the caller's text means itself; what is searched is stored in lower case. */
export function partOf(text: string): { $regex: string } {
  return { $regex: text.toLowerCase().replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&') };
}
