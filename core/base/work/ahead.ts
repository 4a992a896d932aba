/** Maps in order, with up to `ahead` calls under way while earlier results are worked on. */
export async function* mapAhead<In, Out>(
  source: AsyncIterable<In>,
  ahead: number,
  map: (one: In) => Promise<Out>,
): AsyncGenerator<Out> {
  const underWay: Promise<Out>[] = [];
  for await (const one of source) {
    const mapped = map(one);
    mapped.catch(() => {});
    underWay.push(mapped);
    if (underWay.length >= ahead) yield await (underWay.shift() as Promise<Out>);
  }
  for (const mapped of underWay) yield await mapped;
}
