import type { Environment } from './environment.ts';

/** The API ends its connections and takes no more, until `startApi`. */
export async function stopApi({ app: { server } }: Environment): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/** At the same address. */
export function startApi({ app, url }: Environment): Promise<void> {
  return new Promise((resolve) => app.server.listen(Number(new URL(url).port), '127.0.0.1', resolve));
}
