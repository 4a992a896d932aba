/** Entries that wait, in turns by client: one client's many entries delay those of another by one. */
export function createTurns<Entry>() {
  const waiting = new Map<string, Entry[]>();
  return {
    add(client: string, entry: Entry): void {
      const own = waiting.get(client);
      if (own) own.push(entry);
      else waiting.set(client, [entry]);
    },
    /** The next one; it stays. */
    peek(): Entry | undefined {
      const [first] = waiting.values();
      return first?.[0];
    },
    take(): Entry | undefined {
      const [first] = waiting;
      if (!first) return undefined;
      const [client, own] = first;
      const entry = own.shift();
      // To the end of the line, if it has more.
      waiting.delete(client);
      if (own.length > 0) waiting.set(client, own);
      return entry;
    },
    /** false: it does not wait any more. */
    remove(client: string, entry: Entry): boolean {
      const own = waiting.get(client) ?? [];
      if (!own.includes(entry)) return false;
      if (own.length === 1) waiting.delete(client);
      else own.splice(own.indexOf(entry), 1);
      return true;
    },
    takeAll(): Entry[] {
      const all = [...waiting.values()].flat();
      waiting.clear();
      return all;
    },
  };
}
