import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { fullPath } from '../../api/http/endpoint.ts';
import { endpointTable } from '../../api/http/table.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { startProviderA } from '../providers/provider-a.ts';
import { startProviderB } from '../providers/provider-b.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { readRequests, requestMaker, type WrittenRequest } from '../support/written-requests.ts';
import { furtherCalls } from './further-calls.ts';
import { type Watched, watchCalls } from './watched-calls.ts';

/** After the commit they do more, which a repeat of the call does too. */
const DO_MORE: Record<string, string> = {
  'suppressionGroups.suppress': 'contacts that unsubscribed leave automations',
  'emails.update': 'the mail gets its event',
  'emails.cancel': 'the same',
  'emails.cancelBatch': 'each mail does',
};
/** Their answer is read after the commit, because it is about something else. */
const READ_MORE: Record<string, string> = {
  'campaigns.pause': 'no mail is in flight any more',
  'campaigns.resume': 'the same',
  'campaigns.abort': 'the same',
  'public.savePreferences': 'the page has the boxes as they are stored, and its button saves them again',
};
/** Neither docs/requests.http nor the further calls have what they need. */
const UNTRIED = [
  'automations.removeEnrollment',
  'campaigns.retry',
  'campaigns.winner',
  'domains.enableInbound',
  'migrations.groupProviderA',
  'migrations.skip',
  'migrations.startProviderB',
  'migrations.templatesProviderA',
  'public.confirm',
  'public.requestData',
  'webhooks.replay',
];
/** They write nothing. */
const ONLY_READ = [
  'automations.simulate',
  'contactLists.searchContacts',
  'mcp.call',
  'migrations.planProviderA',
  'suppressionGroups.searchEntries',
];

const requests = readRequests();
const endpoints = endpointTable(createMetrics());

describe('A call that has committed its last write', function () {
  this.timeout(180_000);

  it('is answered as usual when nothing can be read any more', async () => {
    const usual = await makeAll();
    const cut = await makeAll(usual.map(({ commits }) => commits.length));
    const faults = usual.flatMap(({ operation, method, status }, at) => {
      const { status: late, refused } = cut[at]!;
      const isFault = method !== 'GET' && status < 500 && (late === 0 || late >= 500);
      return isFault && !(operation in DO_MORE || operation in READ_MORE)
        ? [`${operation}: ${late}, ${refused[0]}`]
        : [];
    });
    expect(faults).to.deep.equal([]);
    const tried = new Set(usual.flatMap(({ operation, commits }) => (commits.length > 0 ? [operation] : [])));
    const writing = endpoints.filter(({ method, isComputed }) => !['get', 'options'].includes(method) && !isComputed);
    const untried = writing.map(({ operation }) => operation as string).filter((operation) => !tried.has(operation));
    expect(untried).to.have.members([...UNTRIED, ...ONLY_READ]);
  });
});

interface Made extends Watched {
  operation: string;
  method: string;
  /** 0: it needs the answer of a call that failed. */
  status: number;
}

/** The requests of docs/requests.http in their order, and further calls. With `commits`: each one's reads fail after so many commits, if it has any. */
async function makeAll(commits: number[] = []): Promise<Made[]> {
  const [a, b] = [await startProviderA([]), await startProviderB([])];
  const environment = await startEnvironment({ PROVIDER_A_URL: a.url, PROVIDER_B_URL: b.url });
  const calls = watchCalls(environment.app.server);
  const made: Made[] = [];
  const watch = async (operation: string, method: string, call: () => Promise<{ status: number }>) => {
    const status = async () => ({
      status: await call().then(
        (answer) => answer.status,
        () => 0,
      ),
    });
    const seen = await calls.during(status, commits[made.length] || Number.POSITIVE_INFINITY);
    made.push({ operation, method, ...seen });
  };
  try {
    await seedVerifiedDomain(environment.deps, environment.own.project, 'demo.everpost.test', new ObjectId());
    await useKeys(environment);
    const make = requestMaker(environment);
    for (const request of requests) await watch(operationOf(request), request.method, () => make(request));
    for (const { operation, prepare } of furtherCalls) await watch(operation, '', await prepare(environment));
    return made;
  } finally {
    calls.stop();
    await environment.stop();
    await Promise.all([a.stop(), b.stop()]);
  }
}

/** The first use of a key in a minute is written. */
async function useKeys({ own, client }: Environment): Promise<void> {
  for (const key of [own.adminKey, own.projectKey]) await client(key).get('/contacts');
}

function operationOf({ method, url }: WrittenRequest): string {
  const path = url.replace('{{url}}', '').split('?')[0]!.split('/');
  const isOf = (form: string[]) =>
    form.length === path.length && form.every((part, at) => part.startsWith('{') || part === path[at]);
  const fitting = endpoints
    .map((endpoint) => ({ ...endpoint, form: fullPath(endpoint, endpoint.path) }))
    .filter((endpoint) => endpoint.method === method.toLowerCase() && isOf(endpoint.form.split('/')));
  const [found] = fitting.toSorted((one, other) => one.form.split('{').length - other.form.split('{').length);
  return found?.operation ?? '';
}
