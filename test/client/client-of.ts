import { Everpost, EverpostError, type EverpostOptions } from '../../client/index.ts';
import type { HttpFault, HttpProxy } from '../../lab/rig/faults/http-proxy.ts';
import { startHttpProxy } from '../../lab/rig/faults/http-proxy.ts';
import { type Environment, type Tenant, useEnvironment } from '../support/environment.ts';

export const SENDER = 'shop@mail.example.com';
export const mail = (to: string) => ({ from: { email: SENDER }, to: { email: to }, subject: 'Hello', text: 'Hello.' });

export interface Proxied {
  environment: Environment;
  proxy: HttpProxy;
  /** Of the requests that come next, one each; the others have none. */
  faults(...faults: HttpFault[]): void;
  /** Of the own tenant, through the proxy. */
  client(options?: EverpostOptions): Everpost;
}

/** An environment with a proxy in front of its API, for a whole suite. */
export function useProxy(): Proxied {
  const environment = useEnvironment();
  const proxied = { environment } as Proxied;
  let next: HttpFault[] = [];
  before(async () => {
    const proxy = await startHttpProxy(
      () => environment.url,
      () => next.shift() ?? { kind: 'none' },
    );
    Object.assign(proxied, {
      proxy,
      faults: (...faults: HttpFault[]) => {
        next = faults;
        proxy.requests.length = 0;
      },
      client: (options: EverpostOptions = {}) => clientOf(environment.own, { baseUrl: proxy.url, ...options }),
    });
  });
  after(() => proxied.proxy.stop());
  return proxied;
}

export function clientOf({ projectKey }: Pick<Tenant, 'projectKey'>, options: EverpostOptions): Everpost {
  return new Everpost({ apiKey: projectKey, ...options });
}

/** The error that the call must fail with. */
export async function failureOf(call: PromiseLike<unknown>): Promise<EverpostError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof EverpostError) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}
