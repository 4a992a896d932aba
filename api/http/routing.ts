import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../core/base/errors.ts';
import { type Endpoint, fullPath, pathParameters } from './endpoint.ts';

type Serve = (endpoint: Endpoint, context: Context) => Promise<void>;
/** A router tries its paths one after the other: with one router for each noun that is ten paths, with a single one all of them. */
type Routers = Map<string, Router>;
type Layer = ReturnType<Router['match']>['path'][number];

/** 404 for an unknown path, 405 with Allow for a method that the path does not have. The most literal path wins. */
export function routeTo(endpoints: Endpoint[], serve: Serve): Middleware {
  const routers = routersOf(endpoints, serve);
  const literal = new Map<string, Layer>();
  // Matched once, and the layer is called directly: the router's own middleware would match again.
  return (context, next) => {
    const { path, method } = context;
    const name = `${method} ${path}`;
    const known = literal.get(name);
    const layer = known ?? layerOf(routers, context);
    if (!known && layer.paramNames.length === 0) literal.set(name, layer);
    context.params = known ? {} : layer.params(path, layer.captures(path));
    return layer.stack[0]?.(context as never, next);
  };
}

function layerOf(routers: Routers, context: Context): Layer {
  const { path, method } = context;
  const [meant, ...others] = routers.get(nounOf(path))?.match(path, method).path ?? [];
  if (!meant)
    throw new AppError('not_found', 'There is nothing at this path; GET /openapi.json lists every endpoint.', {
      code: 'NOT_FOUND',
    });
  const layers = [meant, ...others.filter((other) => other.path === meant.path)];
  const layer = layers.find(({ methods }) => methods.includes(method));
  if (layer) return layer;
  throw methodNotAllowed(
    context,
    layers.flatMap(({ methods }) => methods),
  );
}

function methodNotAllowed(context: Context, methods: string[]): AppError {
  const allowed = [...new Set(methods)].sort().join(', ');
  context.set('Allow', allowed);
  return new AppError('method_not_allowed', `This path takes ${allowed}.`, { code: 'METHOD_NOT_ALLOWED' });
}

function routersOf(endpoints: Endpoint[], serve: Serve): Routers {
  const routers: Routers = new Map();
  for (const endpoint of literalPathsFirst(endpoints))
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])])
      routerOf(routers, fullPath(endpoint, path))[endpoint.method](routerPath(endpoint, path), (context) =>
        serve(endpoint, context),
      );
  return routers;
}

function routerOf(routers: Routers, path: string): Router {
  const noun = nounOf(path);
  const router = routers.get(noun) ?? new Router({ strict: true, sensitive: true });
  routers.set(noun, router);
  return router;
}

/** /v1/contacts/... -> contacts; /t/o/... -> t. This position is never a parameter. */
function nounOf(path: string): string {
  const [, first = '', second = ''] = path.split('/', 3);
  return first === 'v1' ? second : first;
}

/** A literal segment wins over a parameter: /contacts/export is not a contact id. */
function literalPathsFirst(endpoints: Endpoint[]): Endpoint[] {
  const rank = ({ path }: Endpoint) => path.replace(/\{\w+\}/g, '\uffff');
  return [...endpoints].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

function routerPath(endpoint: Endpoint, path: string): string {
  return pathParameters(path).reduce((made, name) => made.replace(`{${name}}`, `:${name}`), fullPath(endpoint, path));
}
