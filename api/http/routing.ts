import type { Context, Middleware } from 'koa';
import { AppError } from '../../core/base/errors.ts';
import { type Endpoint, fullPath } from './endpoint.ts';

type Serve = (endpoint: Endpoint, context: Context) => Promise<void>;

interface Route {
  pattern: RegExp;
  /** By method, in capitals. */
  endpoints: Map<string, Endpoint>;
}

/** 404 for an unknown path, 405 with Allow for a method that the path does not have. The most literal path wins. */
export function routeTo(endpoints: Endpoint[], serve: Serve): Middleware {
  const routes = routesOf(endpoints);
  return (context) => {
    for (const { pattern, endpoints } of routes) {
      const match = pattern.exec(context.path);
      if (!match) continue;
      const endpoint = endpoints.get(context.method);
      if (!endpoint) throw methodNotAllowed(context, [...endpoints.keys()]);
      context.params = decoded(match.groups);
      return serve(endpoint, context);
    }
    throw new AppError('not_found', 'There is nothing at this path; GET /openapi.json lists every endpoint.', {
      code: 'NOT_FOUND',
    });
  };
}

/** A literal segment comes before a parameter: /contacts/export is not a contact id. */
function routesOf(endpoints: Endpoint[]): Route[] {
  const routes = new Map<string, Route>();
  for (const endpoint of endpoints)
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => fullPath(endpoint, path))) {
      const route = routes.get(path) ?? { pattern: patternOf(path), endpoints: new Map() };
      const method = endpoint.method.toUpperCase();
      route.endpoints.set(method, endpoint);
      if (method === 'GET') route.endpoints.set('HEAD', endpoint);
      routes.set(path, route);
    }
  const rank = (path: string) => path.replace(/\{\w+\}/g, '\uffff');
  return [...routes].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1)).map(([, route]) => route);
}

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.]/g, '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${escaped}$`);
}

/** A parameter with a broken escape stays as it was sent; no id looks like that. */
function decoded(groups: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodedText(text)]));
}

function decodedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function methodNotAllowed(context: Context, methods: string[]): AppError {
  const allowed = methods.sort().join(', ');
  context.set('Allow', allowed);
  return new AppError('method_not_allowed', `This path takes ${allowed}.`, { code: 'METHOD_NOT_ALLOWED' });
}
