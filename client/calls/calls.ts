import type { Operation } from '../operations.ts';
import { dataOf } from './answers.ts';
import { Download } from './downloads.ts';
import { type Asked, Pages, type Pagination } from './pages.ts';
import { type Given, headerText, requestOf } from './requests.ts';
import { openStream, type Stream } from './streams.ts';
import { type Settings, send } from './transport.ts';

/** The method of a resource: a promise, pages, or a stream, by the kind of its answer. */
export function callOf(settings: Settings, name: string, operation: Operation): (...args: unknown[]) => unknown {
  const split = splitterOf(operation);
  return (...args) => {
    const given = split(args);
    const ask = (asked: Asked = {}) => askFor(settings, name, operation, withPage(operation, given, asked));
    switch (operation.kind) {
      case 'page':
        return new Pages(
          ask as (asked: Asked) => Promise<{ pagination: Pagination }>,
          pageOf(given),
          operation.entries ?? '',
        );
      case 'stream':
        return streamOf(settings, name, operation, given);
      case 'download':
        return download(settings, name, operation, given);
      default:
        return ask();
    }
  };
}

function splitterOf({ path, kind, takes }: Operation): (args: unknown[]) => Given {
  const count = path.split('{').length - 1;
  return (args) => {
    const rest = args.slice(count);
    return {
      ids: args.slice(0, count),
      file: kind === 'upload' ? rest.shift() : undefined,
      body: takes === 'body' ? (rest.shift() ?? {}) : undefined,
      query: takes === 'query' ? ((rest.shift() as Given['query'] | undefined) ?? {}) : {},
      options: (rest[0] as Given['options'] | undefined) ?? {},
    };
  };
}

/** Lists take the page in their query, searches in their body. */
function pageOf({ body, query }: Given): Asked {
  const { page, limit } = (body ?? query) as Asked;
  return { page, limit };
}

function withPage({ kind, takes }: Operation, given: Given, asked: Asked): Given {
  if (kind !== 'page' || !takes) return given;
  const page = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return takes === 'body'
    ? { ...given, body: { ...(given.body as object), ...page } }
    : { ...given, query: { ...given.query, ...page } };
}

async function askFor(settings: Settings, name: string, operation: Operation, given: Given): Promise<unknown> {
  const request = requestOf(settings, name, operation, given);
  return send(settings, request, async (opened) => dataOf(operation, opened));
}

async function download(settings: Settings, name: string, operation: Operation, given: Given): Promise<Download> {
  return send(settings, requestOf(settings, name, operation, given), async (opened) => new Download(opened));
}

const campaignIsOver = ({ status }: { status: string }) => ['sent', 'failed', 'aborted'].includes(status);
const migrationIsOver = ({ status }: { status: string }) => {
  return ['completed', 'completed_with_errors', 'failed', 'cancelled'].includes(status);
};

/** The stream of the project has no end, and begins after the event that the caller names. */
const streamRules: Record<string, Pick<Stream<never>, 'isLast' | 'mayRepeat'>> = {
  'campaigns.watch': { isLast: campaignIsOver },
  'migrations.watch': { isLast: migrationIsOver },
  'stream.open': { mayRepeat: true },
};

async function* streamOf(
  settings: Settings,
  name: string,
  operation: Operation,
  given: Given,
): AsyncGenerator<unknown, void> {
  const { after, ...query } = given.query as { after?: string };
  if (after !== undefined) headerText('after', after);
  const request = requestOf(settings, name, operation, { ...given, query });
  yield* openStream(settings, { request, after, onOpen: given.options.onOpen, ...streamRules[name] });
}
