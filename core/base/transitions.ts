/** From each status those that may follow. The table of a noun is in its folder; ARCHITECTURE.md or the folder's README draws it. */
export type Transitions<Status extends string> = Readonly<Record<Status, readonly Status[]>>;

export function statusesBefore<Status extends string>(table: Transitions<Status>, to: Status): Status[] {
  return (Object.keys(table) as Status[]).filter((from) => table[from].includes(to));
}
