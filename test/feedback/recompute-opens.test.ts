// Promise: counts are exact.
import { Client, Connection } from '@temporalio/client';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { type OpensWalk, walkOpens } from '../../activities/opens.ts';
import { type Deps, openCore } from '../../core/base/deps.ts';
import type { Campaign } from '../../core/campaigns/model.ts';
import { refreshCounts } from '../../core/campaigns/numbers/counts.ts';
import { countProject } from '../../core/figures/reports/counting/count.ts';
import { recountProject } from '../../core/figures/reports/counting/recount.ts';
import { writeSignals } from '../../core/mail/feedback/engagements.ts';
import { recomputeOpens, startOpensRecompute } from '../../core/mail/feedback/recompute-opens.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { countFacts } from '../../core/people/behaviour/count.ts';
import { prefixed, workflowIds } from '../../workflows/names.ts';
import { admin } from '../accounts/processes.ts';
import { type Stage, startStage } from '../campaigns/support.ts';
import { plainCounts, storedCounts } from '../reports/support.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { BROWSER, bareCampaign, engagementOf, sentMessage } from './support.ts';

const PROXY = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';
const YAHOO = 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html';
const PREFETCHER = 'Mozilla/5.0 (Windows NT 10.0) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0';
const PRIVACY = 'Mozilla/5.0';
const DOMAIN = 'mail.example.com';
const SECONDS_MAX = 25_000;
const FIRST = { pass: 1, projectId: null, phase: 'project', after: null, projects: 0, mails: 0, changed: 0 } as const;

interface Open {
  /** After the delivery. */
  seconds: number;
  agent: string;
}

/** The opens of each mail, by program and time, and the answer of today's rules. */
const people: Record<string, { opens: Open[]; human: number | null; told: Array<[number, boolean]> }> = {
  proxied: { opens: [{ seconds: 60, agent: PROXY }], human: 60, told: [[60, false]] },
  yahoo: { opens: [{ seconds: 600, agent: YAHOO }], human: 600, told: [[600, false]] },
  earlier: {
    opens: [
      { seconds: 2, agent: PROXY },
      { seconds: 90, agent: PROXY },
      { seconds: 7_200, agent: BROWSER },
    ],
    human: 90,
    told: [
      [2, true],
      [90, false],
    ],
  },
  prefetched: { opens: [{ seconds: 60, agent: PREFETCHER }], human: null, told: [[60, true]] },
  later: {
    opens: [
      { seconds: 60, agent: PREFETCHER },
      { seconds: 5_400, agent: BROWSER },
    ],
    human: 5_400,
    told: [
      [60, true],
      [5_400, false],
    ],
  },
  soon: { opens: [{ seconds: 3, agent: PROXY }], human: null, told: [[3, true]] },
  private: { opens: [{ seconds: 60, agent: PRIVACY }], human: null, told: [[60, true]] },
  browser: { opens: [{ seconds: 60, agent: BROWSER }], human: 60, told: [[60, false]] },
  nobody: { opens: [], human: null, told: [] },
};
const names = Object.keys(people);
const humans = names.filter((name) => people[name]!.human !== null).toSorted();
const opensIn = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([key, count]) => /opened$/i.test(key) && count !== 0));
const atOf = ({ sentAt }: Message, seconds: number) => new Date(sentAt!.getTime() + seconds * 1_000);

/** As an earlier version judged them: a picture proxy was a machine at any time, and the prefetcher of Gmail a person. */
async function openedBefore(deps: Deps, messages: Map<string, Message>): Promise<void> {
  for (const [name, message] of messages) {
    const { _id: messageId, projectId } = message;
    for (const { seconds, agent } of people[name]!.opens) {
      const judgedAs = agent === PREFETCHER ? BROWSER : [PROXY, YAHOO].includes(agent) ? PRIVACY : agent;
      const open = { kind: 'open' as const, agent: judgedAs, purpose: '', method: 'GET' };
      await writeSignals(deps, [{ ...open, projectId, messageId, at: atOf(message, seconds) }]);
    }
    const set = Object.fromEntries(people[name]!.opens.map(({ agent }, index) => [`opens.${index}.agent`, agent]));
    if (people[name]!.opens.length > 0)
      await deps.db.engagements.updateOne({ _id: messageId, projectId }, { $set: set });
  }
}

/** The opens of people, in each place that keeps them. */
async function stored({ db }: Pick<Deps, 'db'>, messages: Map<string, Message>) {
  const byId = new Map([...messages].map(([name, { _id }]) => [_id.toHexString(), name]));
  const ids = { _id: { $in: [...messages.values()].map(({ _id }) => _id) } };
  const { projectId } = [...messages.values()][0]!;
  const opened = await db.engagements.find({ ...ids, projectId, humanOpenedAt: { $exists: true } }).toArray();
  const rows = await db.messages.find({ ...ids, projectId }).toArray();
  const facts = await db.contactFacts.find({ projectId, kind: 'humanOpened' }).toArray();
  const nameOf = (id: ObjectId) => byId.get(id.toHexString())!;
  const byContact = new Map([...messages].map(([name, { contactId }]) => [contactId!.toHexString(), name]));
  const entries = <T>(all: Array<[string, T]>) => Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return {
    engagements: entries(opened.map(({ _id, humanOpenedAt }) => [nameOf(_id), humanOpenedAt])),
    facts: entries(facts.map(({ contactId, at }) => [byContact.get(contactId.toHexString())!, at])),
    timelines: entries(
      rows.map(({ _id, timeline = [] }) => [
        nameOf(_id),
        timeline.flatMap(({ type, at, automated }) => (type === 'opened' ? [[at, automated]] : [])),
      ]),
    ),
  };
}

function expected(messages: Map<string, Message>): Awaited<ReturnType<typeof stored>> {
  const sorted = [...messages].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const human = Object.fromEntries(
    sorted.flatMap(([name, message]) => {
      const seconds = people[name]!.human;
      return seconds === null ? [] : [[name, atOf(message, seconds)]];
    }),
  );
  const timelines = sorted.map(([name, message]) => [
    name,
    people[name]!.told.map(([seconds, automated]) => [atOf(message, seconds), automated]),
  ]);
  return { engagements: human, facts: human, timelines: Object.fromEntries(timelines) };
}

describe('Opens that an earlier version judged', function () {
  this.timeout(120_000);

  describe('are judged again by a run that setup starts once', () => {
    let stage: Stage;
    let connection: Connection;
    before(async () => {
      stage = await startStage();
      connection = await Connection.connect({ address: stage.deps.config.temporalAddress });
    });
    after(async () => {
      await connection.close();
      await stage.stop();
    });
    const read = async (path: string) => {
      const { status, body, text } = await stage.own.client.get(path);
      expect(status, text).to.equal(200);
      return body.data;
    };
    const made = async (path: string, fields: object) => {
      const { status, body, text } = await stage.own.client.post(path, fields);
      expect(status, text).to.be.oneOf([200, 201]);
      return body.data;
    };
    const segment = (operator: string) =>
      made('/contact-lists', {
        name: operator,
        filterCriteria: {
          groups: [{ behaviour: 'humanOpened', operator, ...(operator === 'never' ? {} : { count: 1 }) }],
        },
      });
    const emailOf = (name: string) => `${name}@gmail.com`;
    const nameOf = (email: string) => email.split('@')[0]!;

    it('and every figure, segment, audience, timeline and report follows, and no automation starts', async () => {
      const { deps, own } = stage;
      const { db } = deps;
      const projectId = own.project._id;
      const toLists = [await stage.list(names.length, (index) => emailOf(names[index]!))];
      const [opened, never] = [await segment('at_least'), await segment('never')];
      const campaignId = await stage.launch({ toLists });
      await stage.until(campaignId, 'sent');
      const messages = new Map((await stage.messages(campaignId)).map((one) => [nameOf(one.email), one]));
      const automation = await made('/automations', {
        ...{ name: 'Opened', entryCriteria: { type: 'contact_added_to_list', listId: opened.id } },
        steps: [
          { type: 'wait', delay: { value: 1, unit: 'days' } },
          { type: 'email', email: { htmlTemplate: '<p>x</p>', subject: 'x' } },
        ],
      });
      await openedBefore(deps, messages);
      const isQuiet = async () =>
        (await db.notedFacts.countDocuments({ projectId })) === 0 &&
        (await db.engagements.countDocuments({ projectId, countDueAt: { $exists: true } })) === 0;
      await until(isQuiet, (quiet) => quiet, { ms: SECONDS_MAX });
      await refreshCounts(deps, { _id: new ObjectId(campaignId), projectId });
      const automationId = new ObjectId(automation.id);
      await db.automations.updateOne({ _id: automationId, projectId }, { $set: { status: 'active' } });
      await db.projects.updateOne({ _id: projectId }, { $inc: { audienceVersion: 1 } });

      const sorted = (all: Array<{ email: string }>) => all.map(({ email }) => nameOf(email)).toSorted();
      const membersOf = (listId: string) => db.contacts.find({ projectId, segmentIds: new ObjectId(listId) }).toArray();
      const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
      const range = `from=${hours(-24)}&to=${hours(24)}`;
      const figures = async () => {
        const { counts, rates } = await read(`/campaigns/${campaignId}/analytics`);
        const { people: acted } = await read(`/campaigns/${campaignId}/people?did=humanOpened`);
        const { points } = await read(`/reports/series?interval=day&campaignId=${campaignId}&${range}`);
        const { providers } = await read(`/reports/providers?${range}`);
        const { total } = await made('/campaigns/audience', { audience: { campaignId, did: 'notOpened' } });
        const activity = await read(`/contacts/${messages.get('yahoo')!.contactId}/activity`);
        return {
          analytics: [counts.opened, counts.humanOpened, rates.trueOpenRate],
          acted: sorted(acted),
          series: points.reduce((sum: number, point: { humanOpened: number }) => sum + point.humanOpened, 0),
          google: providers.find(({ id }: { id: string }) => id === 'google').humanOpenRate,
          opened: sorted(await membersOf(opened.id)),
          never: sorted(await membersOf(never.id)),
          didNotOpen: total,
          byMachine: activity.activity
            .filter(({ type }: { type: string }) => type === 'email.opened')
            .map(({ email }: { email: { automated: boolean } }) => email.automated),
        };
      };
      const openedWere = (were: string[], byMachine: boolean) => ({
        analytics: [8, were.length, Math.round((were.length / names.length) * 10_000) / 100],
        acted: were,
        series: were.length,
        google: Math.round((were.length / names.length) * 10_000) / 100,
        opened: were,
        never: names.filter((name) => !were.includes(name)).toSorted(),
        didNotOpen: names.length - were.length,
        byMachine: [byMachine],
      });
      expect(await figures()).to.deep.equal(openedWere(['browser', 'earlier', 'later', 'prefetched'], true));

      const { code, output } = await admin(stage.environment, deps.config.secretKeys.join(','), 'setup');
      expect(code, output).to.equal(0);
      expect(JSON.parse(output.trim().split('\n').at(-1)!)).to.include({ opensJudgedAgain: 'started' });
      expect(await startOpensRecompute(deps), 'joins the run').to.equal('started');
      const client = new Client({ connection, namespace: deps.config.temporalNamespace });
      const run = client.workflow.getHandle(prefixed(deps.config.taskQueuePrefix, workflowIds.opensRecompute()));
      await until(
        () => run.query<OpensWalk>('state'),
        ({ pass }) => pass === 2,
        { ms: SECONDS_MAX },
      );
      await run.terminate();
      await until(isQuiet, (quiet) => quiet, { ms: SECONDS_MAX });
      expect(await figures()).to.deep.equal(openedWere(humans, false));
      expect(await stored(deps, messages)).to.deep.equal(expected(messages));
      const entered = { projectId, $or: [{ automationId }, { automationIds: automationId }] };
      expect(await db.triggers.countDocuments(entered)).to.equal(0);
      expect(await db.enrollments.countDocuments(entered)).to.equal(0);
    });
  });

  describe('are judged again exactly once, whatever happens in between', () => {
    const environment = useEnvironment();
    let tenant: Tenant;
    let messages: Map<string, Message>;
    let campaignId: ObjectId;
    beforeEach(async () => {
      tenant = await environment.newTenant('Judged');
      const freeze = { at: environment.clock.now(), written: names.length, isDone: true };
      campaignId = (await bareCampaign(environment, tenant, { freeze } as Partial<Campaign>))._id;
      messages = new Map();
      for (const name of names) {
        const { body } = await tenant.client.post('/contacts', { email: `${name}@gmail.com` });
        const contactId = new ObjectId(body.data.id as string);
        const fields = { contactId, campaignId, email: `${name}@gmail.com`, senderDomain: DOMAIN };
        messages.set(name, await sentMessage(environment, tenant, fields));
      }
      await openedBefore(environment.deps, messages);
      await settle();
      await refreshCounts(environment.deps, { _id: campaignId, projectId: tenant.project._id });
    });

    /** The jobs of facts and of the series, each fact twice. */
    async function settle(): Promise<void> {
      const { deps } = environment;
      const projectId = tenant.project._id;
      for (const noted of await deps.db.notedFacts.find({ projectId }).sort({ _id: 1 }).toArray())
        for (let times = 0; times < 2; times += 1) await countFacts(deps, noted);
      await countProject(deps, projectId);
    }
    const walk = (deps: Deps, from: OpensWalk = FIRST) => walkOpens(deps, from, { timeMs: 60_000 });
    async function expectRight(): Promise<void> {
      const { deps } = environment;
      await settle();
      expect(await stored(deps, messages)).to.deep.equal(expected(messages));
      const series = opensIn(await storedCounts(deps, tenant));
      expect(series).to.deep.equal(opensIn(await plainCounts(deps, tenant, () => DOMAIN)));
      const all = Object.entries(series).filter(([key]) => key.startsWith('project ') && key.endsWith(' humanOpened'));
      expect(all.reduce((sum, [, count]) => sum + count, 0)).to.equal(humans.length);
      const campaign = await deps.db.campaigns.findOne({ _id: campaignId, projectId: tenant.project._id });
      expect(campaign?.counts).to.include({ opened: 8, humanOpened: humans.length });
    }

    /** The writes of a run, in their order. */
    const writes = [
      ['notedFacts', 'insertMany'],
      ['messages', 'bulkWrite'],
      ['engagements', 'bulkWrite'],
      ['campaigns', 'findOneAndUpdate'],
    ] as const;
    /** `first` comes before each call of one method of a collection. */
    function withBefore(collection: keyof Deps['db'], method: string, first: () => Promise<void>): Deps {
      const { deps } = environment;
      const changed = new Proxy(deps.db[collection] as object, {
        get(target, name) {
          const value = Reflect.get(target, name);
          if (name !== method) return typeof value === 'function' ? value.bind(target) : value;
          return async (...args: unknown[]) => {
            await first();
            return value.apply(target, args);
          };
        },
      });
      return openCore({ ...deps, db: { ...deps.db, [collection]: changed } });
    }

    for (const [collection, method] of writes)
      it(`when it is killed before it writes to ${collection}, and when it runs twice`, async () => {
        const dying = withBefore(collection, method, () => Promise.reject(new Error('killed')));
        const fault = await walk(dying).then(
          () => null,
          (error) => error.message,
        );
        expect(fault).to.equal('killed');
        // Jobs run as always.
        await settle();
        const { next } = await walk(environment.deps);
        expect(next).to.include({ pass: 2 });
        await expectRight();
        expect((await recomputeOpens(environment.deps, { projectId: tenant.project._id })).changed).to.equal(0);
        await walk(environment.deps);
        await expectRight();
      });

    it('until a pass finds nothing to change, and then never again', async () => {
      const { deps } = environment;
      await deps.db.upkeep.deleteOne({ _id: 'opens' });
      let started = 0;
      const recomputeNow = async () => {
        started += 1;
      };
      const workflows = { ...deps.workflows, recomputeOpens: recomputeNow };
      const first = await walk(deps);
      expect(first).to.deep.include({ next: { ...FIRST, pass: 2 } });
      expect(first.waitMs, 'processes of the earlier version end').to.be.greaterThan(0);
      await openedBefore(deps, new Map([['proxied', messages.get('nobody')!]]));
      const second = await walk(deps, first.next!);
      expect(second.next, 'another open of that kind').to.include({ pass: 3 });
      expect(await startOpensRecompute({ ...deps, workflows })).to.equal('started');
      expect(await walk(deps, second.next!)).to.deep.equal({ next: null, waitMs: 0 });
      expect(await startOpensRecompute({ ...deps, workflows })).to.equal('done before');
      expect(started).to.equal(1);
    });

    describe('with a person who opens a mail that its prefetcher opened', () => {
      let at: Date;
      const write = async (deps: Deps) => {
        const { _id: messageId, projectId } = messages.get('prefetched')!;
        const open = { kind: 'open' as const, agent: BROWSER, purpose: '', method: 'GET' };
        await writeSignals(deps, [{ ...open, projectId, messageId, at }]);
      };
      beforeEach(() => {
        at = atOf(messages.get('prefetched')!, 3_000);
      });
      async function expectPerson(): Promise<void> {
        const { deps } = environment;
        await settle();
        await walk(deps);
        await settle();
        const now = await stored(deps, messages);
        expect(now.engagements).to.deep.equal({ ...expected(messages).engagements, prefetched: at });
        expect(now.facts).to.deep.equal(now.engagements);
        const lines = [
          [atOf(messages.get('prefetched')!, 60), true],
          [at, false],
        ];
        expect(now.timelines).to.deep.equal({ ...expected(messages).timelines, prefetched: lines });
        const series = opensIn(await storedCounts(deps, tenant));
        expect(series).to.deep.equal(opensIn(await plainCounts(deps, tenant, () => DOMAIN)));
      }

      it('between the look of the run and its write', async () => {
        let isOpened = false;
        const busy = withBefore('engagements', 'bulkWrite', async () => {
          if (isOpened) return;
          isOpened = true;
          await write(environment.deps);
        });
        await recomputeOpens(busy, { projectId: tenant.project._id });
        expect(await engagementOf(environment, messages.get('prefetched')!)).to.have.property('humanOpenedAt');
        await expectPerson();
      });

      it('and whose open is read before the run and written after it', async () => {
        const late = withBefore('engagements', 'bulkWrite', async () => {
          await walk(environment.deps);
          await settle();
        });
        await write(late);
        await expectPerson();
      });
    });

    it('where only the first opens are kept: a person who came later stays, and a machine that was one does not', async () => {
      const { deps } = environment;
      const projectId = tenant.project._id;
      const open = { kind: 'open' as const, purpose: '', method: 'GET' };
      const opens = (name: string, agent: string, from: number) =>
        Array.from({ length: 20 }, (_, index) => {
          const message = messages.get(name)!;
          return { ...open, projectId, messageId: message._id, at: atOf(message, from + index), agent };
        });
      await writeSignals(deps, opens('prefetched', BROWSER, 100));
      await writeSignals(deps, opens('private', PRIVACY, 100));
      const late = messages.get('private')!;
      const lateAt = atOf(late, 9_000);
      await writeSignals(deps, [{ ...open, projectId, messageId: late._id, at: lateAt, agent: BROWSER }]);
      const machines = { $set: { 'opens.$[].agent': PREFETCHER } };
      await deps.db.engagements.updateOne({ _id: messages.get('prefetched')!._id, projectId }, machines);
      await walk(deps);
      await settle();
      const now = await stored(deps, messages);
      expect(now.engagements).to.deep.equal({ ...expected(messages).engagements, private: lateAt });
      expect(now.facts).to.deep.equal(now.engagements);
    });

    it('and mail that the series do not have yet is left to a recount', async () => {
      const { deps } = environment;
      const { project } = tenant;
      const { _id, projectId } = messages.get('proxied')!;
      await deps.db.engagements.updateOne({ _id, projectId }, { $unset: { counted: '', countDueAt: '' } });
      await walk(deps);
      const one = await deps.db.engagements.findOne({ _id, projectId });
      expect(one).to.include.keys('humanOpenedAt');
      expect(one).to.not.include.any.keys('counted', 'countDueAt');
      await settle();
      expect((await recountProject(deps, project)).kind).to.equal('recounted');
      const series = opensIn(await storedCounts(deps, tenant));
      expect(series).to.deep.equal(opensIn(await plainCounts(deps, tenant, () => DOMAIN)));
    });
  });
});
