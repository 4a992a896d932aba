import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../core/base/errors.ts';
import { type Endpoint, fullPath } from './endpoint.ts';

type Serve = (endpoint: Endpoint, context: Context) => Promise<void>;
/** By method, in capitals. */
type Methods = Map<string, Endpoint>;

/** 404 for an unknown path, 405 with Allow for a method that the path does not have. The most literal path wins. */
export function routeTo(endpoints: Endpoint[], serve: Serve): Middleware {
  const paths = pathsOf(endpoints);
  const literal = new Map(paths.filter(([path]) => !path.includes('{')));
  const serveOne = (methods: Methods, context: Context) => {
    const endpoint = methods.get(context.method);
    if (!endpoint) throw methodNotAllowed(context, [...methods.keys()]);
    return serve(endpoint, context);
  };
  // Every method, since the most literal path decides: DELETE /contacts/export is not the removal of a contact.
  const router = new Router({ strict: true, sensitive: true });
  for (const [path, methods] of paths)
    if (!literal.has(path)) router.all(path.replace(/\{(\w+)\}/g, ':$1'), (context) => serveOne(methods, context));
  const routes = router.routes() as unknown as Middleware;
  // The router tries one path after the other, which takes a tenth of the time of a small call.
  return (context) => {
    const methods = literal.get(context.path);
    if (!methods) return routes(context, notFound);
    context.params = {};
    return serveOne(methods, context);
  };
}

/** A literal segment comes before a parameter: /contacts/export is not a contact id. */
function pathsOf(endpoints: Endpoint[]): [string, Methods][] {
  const paths = new Map<string, Methods>();
  for (const endpoint of endpoints)
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => fullPath(endpoint, path))) {
      const methods: Methods = paths.get(path) ?? new Map();
      const method = endpoint.method.toUpperCase();
      methods.set(method, endpoint);
      if (method === 'GET') methods.set('HEAD', endpoint);
      paths.set(path, methods);
    }
  const rank = (path: string) => path.replace(/\{\w+\}/g, '\uffff');
  return [...paths].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
}

function notFound(): never {
  throw new AppError('not_found', 'There is nothing at this path; GET /openapi.json lists every endpoint.', {
    code: 'NOT_FOUND',
  });
}

function methodNotAllowed(context: Context, methods: string[]): AppError {
  const allowed = methods.sort().join(', ');
  context.set('Allow', allowed);
  return new AppError('method_not_allowed', `This path takes ${allowed}.`, { code: 'METHOD_NOT_ALLOWED' });
}
