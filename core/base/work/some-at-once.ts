/** Maps in order, `size` at a time: all of them at once could take every connection to the database. */
export async function mapSomeAtOnce<In, Out>(
  items: readonly In[],
  size: number,
  map: (one: In, index: number) => Promise<Out>,
): Promise<Out[]> {
  const mapped: Out[] = [];
  for (let from = 0; from < items.length; from += size)
    mapped.push(...(await Promise.all(items.slice(from, from + size).map((one, index) => map(one, from + index)))));
  return mapped;
}
