import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Environment } from '../support/environment.ts';
import { until as untilTrue } from '../support/wait.ts';

interface Told {
  id: string | undefined;
  event: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: events of every type.
  data: any;
}

interface OpenStream {
  told: Told[];
  /** All that came, when one of them is expected. */
  until(isIt: (told: Told) => boolean, ms?: number): Promise<Told[]>;
  close(): Promise<unknown>;
}

/** A stream, read as its events come. */
export async function openStream({ url }: Pick<Environment, 'url'>, key: string, path: string): Promise<OpenStream> {
  const request = get(`${url}/v1${path}`, { headers: { Authorization: `Bearer ${key}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`);
  const told: Told[] = [];
  const ended = read(response, told).catch(() => undefined);
  return {
    told,
    // Figures are kept for up to a hundred times as long as they took to count.
    until: (isIt, ms = 60_000) =>
      untilTrue(
        async () => told,
        (all) => all.some(isIt),
        { ms },
      ),
    close() {
      request.destroy();
      return ended;
    },
  };
}

async function read(response: IncomingMessage, told: Told[]): Promise<void> {
  let text = '';
  for await (const piece of response.setEncoding('utf8')) {
    const blocks = (text + piece).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
      const data = field('data');
      if (data !== undefined) told.push({ id: field('id'), event: field('event'), data: JSON.parse(data) });
    }
  }
}
