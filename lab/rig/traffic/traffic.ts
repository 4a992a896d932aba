import { ObjectId } from 'mongodb';
import { createGroup } from '../../../core/consent/suppressions/groups.ts';
import { type DrillContext, origin } from '../context.ts';
import { ask, type Calls, type Line, noCalls, post } from './calls.ts';
import { makeList } from './people.ts';
import { type Promises, readPromises } from './promises.ts';
import { type Acknowledged, EVENT, type Mix, requestsOf, SITE, type Sort } from './requests.ts';

interface TrafficOptions {
  /** The recipient of the n-th mail: the address says what the relay does with it. */
  mailTo?: (n: number) => string;
  /** The automation waits so long before its mail. */
  waitMinutes?: number;
}

export interface Traffic {
  calls: Calls;
  /** Asks nothing new, and resolves when everything asked is answered or `withinMs` is over. */
  stop(withinMs?: number): Promise<void>;
  /** Holds everything that was promised against what there is. `foreign`: Message-IDs of other projects. */
  verify(foreign?: readonly string[]): Promise<Promises>;
}

const TICK_MS = 50;
/** The most requests that wait for an answer; no further one is sent before one of them is answered. */
const WAITING_MAX = 150;

/** Callers at so many requests a second, however slowly they are answered. */
export async function startTraffic(
  context: DrillContext,
  urls: Line['urls'],
  mix: Mix,
  { mailTo = (n) => `m${n}@in.test`, waitMinutes = 0 }: TrafficOptions = {},
): Promise<Traffic> {
  const { deps, project } = context;
  const line = { key: context.key, urls };
  const calls = noCalls();
  const acked: Acknowledged = { mails: [], bulks: [], contacts: new Map(), events: [] };
  const group = await createGroup(deps, project, { name: 'Traffic' }, origin());
  if (mix.events) await makeAutomation(line, context.sender, calls, waitMinutes);
  const formId = mix.forms ? await makeForm(context, line, calls) : '';
  const under = new Set<Promise<void>>();
  const run = new ObjectId().toHexString().slice(-6);
  let giveUpAt = Number.POSITIVE_INFINITY;
  let number = 0;

  const requestOf = requestsOf({ sender: context.sender, groupId: group.groupId, formId, mailTo }, acked);
  const send = (sort: Sort) => {
    number += 1;
    const { note, ...wanted } = requestOf[sort](number);
    const request = { ...wanted, idempotencyKey: `${run}-${number}` };
    const asking = ask(line, request, calls, () => performance.now() < giveUpAt).then(
      (data) => void (data && note(data)),
    );
    under.add(asking);
    void asking.finally(() => under.delete(asking));
  };
  const owed = Object.fromEntries(Object.keys(mix).map((sort) => [sort, 0])) as Record<Sort, number>;
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    for (const sort of Object.keys(owed) as Sort[]) {
      owed[sort] += ((mix[sort] ?? 0) * (now - before)) / 1_000;
      for (; owed[sort] >= 1; owed[sort] -= 1) if (under.size < WAITING_MAX) send(sort);
    }
    before = now;
  }, TICK_MS);

  return {
    calls,
    async stop(withinMs = 60_000) {
      clearInterval(timer);
      giveUpAt = performance.now() + withinMs;
      await Promise.all(under);
    },
    verify: (foreign = []) => readPromises(context, acked, foreign),
  };
}

async function makeAutomation(line: Line, sender: string, calls: Calls, waitMinutes: number): Promise<void> {
  const email = { htmlTemplate: '<p>Welcome</p>', subject: 'Welcome', senderEmail: sender };
  const automation = {
    name: 'Welcome',
    active: true,
    entryCriteria: { type: 'event_trigger', eventName: EVENT },
    steps: [
      { type: 'wait', delay: { value: waitMinutes, unit: 'minutes' } },
      { type: 'email', email },
    ],
  };
  await make(line, calls, '/events', { eventName: EVENT });
  await make(line, calls, '/automations', automation);
}

async function makeForm(context: DrillContext, line: Line, calls: Calls): Promise<string> {
  const { listId } = await makeList(context, 'form', 0);
  const form = { name: 'Form', listIds: [listId], doubleOptIn: false, allowedOrigins: [SITE] };
  return String((await make(line, calls, '/forms', form)).id);
}

async function make(line: Line, calls: Calls, path: string, body: object): Promise<Record<string, unknown>> {
  const made = await post(line, calls, path, body);
  if (!made) throw new Error(`${path}: ${[...calls.wrong.keys()]}`);
  return made;
}
