import type { Pattern } from '../../../console/paths.ts';
import * as product from '../../../console/routes.ts';

const kit: product.Route = { path: '/kit' as Pattern, page: () => import('./kit.tsx') };

/** Takes the place of `console/routes.ts` in the bundle of `test/support/browser/console-kit.ts`. */
export function findRoute(path: string): ReturnType<typeof product.findRoute> {
  return path === kit.path ? { route: kit, params: {} } : product.findRoute(path);
}

export const { hasPage } = product;
