import { ApplicationFailure } from '@temporalio/common';
import { expect } from 'chai';
import type { DomainCheckResult } from '../../core/domains/checks.ts';
import { searchAttributes } from '../../workflows/attributes/search-attributes.ts';
import { signals } from '../../workflows/messages.ts';
import { until } from '../support/wait.ts';
import { openStage, type Stage } from './support.ts';

const input = { projectId: '0123456789abcdef01234567', domainId: '89abcdef0123456789abcdef' };
const attributes = { ProjectId: input.projectId, State: 'PENDING', Phase: 'records' };
const pending: DomainCheckResult = { status: 'PENDING', message: 'Waiting for DNS: the record.', waitsFor: 'records' };
const live: DomainCheckResult = { status: 'VERIFIED', message: null, waitsFor: null };

describe('The workflow domainCheck', function () {
  this.timeout(120_000);
  let stage: Stage;
  /** By domain, so that runs do not meet. */
  const looks = new Map<string, number>();
  const results = new Map<string, Array<DomainCheckResult | null | Error>>();
  /** A look at that domain takes until then. */
  const gates = new Map<string, Promise<void>>();
  before(async () => {
    stage = await openStage({
      checkDomainRecords: async ({ domainId }: { domainId: string }) => {
        const look = looks.get(domainId) ?? 0;
        looks.set(domainId, look + 1);
        await gates.get(domainId);
        const all = results.get(domainId) ?? [];
        const result = all[Math.min(look, all.length - 1)] ?? null;
        if (result instanceof Error) throw result;
        return result;
      },
    });
  });
  after(() => stage.stop());

  it('looks once and is Completed when the domain is verified', async () => {
    const handle = await start('once', [live]);
    expect(await handle.result()).to.deep.equal({ status: 'VERIFIED' });
    expect(looks.get('once')).to.equal(1);
    const { status, typedSearchAttributes } = await handle.describe();
    expect(status.name).to.equal('COMPLETED');
    expect(typedSearchAttributes.get(searchAttributes.State)).to.equal('VERIFIED');
    expect(typedSearchAttributes.get(searchAttributes.Phase)).to.equal('finished');
    expect(typedSearchAttributes.get(searchAttributes.ProjectId)).to.equal(input.projectId);
  });

  it('waits between looks, says so, and looks at once when it is asked', async () => {
    const handle = await start('asked', [pending, pending, live]);
    const state = await until(
      () => handle.query<{ looks: number; message?: string }>('state'),
      ({ message }) => message !== undefined,
    );
    expect(state).to.include({ looks: 1, message: pending.message });
    await until(
      () => timerSummaries(handle),
      (summaries) => summaries.length === 1,
    );
    expect(await timerSummaries(handle)).to.deep.equal(['look again in 15 seconds']);
    for (const expected of [2, 3]) {
      await handle.signal(signals.checkNow);
      await until(
        async () => looks.get('asked'),
        (count) => count === expected,
      );
    }
    expect(await handle.result()).to.deep.equal({ status: 'VERIFIED' });
  });

  it('ends when the domain was deleted', async () => {
    const handle = await start('deleted', [null]);
    expect(await handle.result()).to.deep.equal({ status: 'DELETED' });
  });

  it('tries a look again that failed', async () => {
    const handle = await start('failing', [ApplicationFailure.create({ type: 'UNAVAILABLE', message: 'away' }), live]);
    expect(await handle.result()).to.deep.equal({ status: 'VERIFIED' });
    expect(looks.get('failing')).to.equal(2);
  });

  it('asked many times while it looks, it looks once more', async () => {
    const gate = Promise.withResolvers<void>();
    gates.set('often', gate.promise);
    const handle = await start('often', [pending]);
    await until(
      async () => looks.get('often'),
      (count) => count === 1,
    );
    await Promise.all(Array.from({ length: 20 }, () => handle.signal(signals.checkNow)));
    gate.resolve();
    await until(
      () => timerSummaries(handle),
      (summaries) => summaries.length > 0,
    );
    expect(looks.get('often')).to.equal(2);
    await handle.terminate();
  });

  async function start(name: string, answers: Array<DomainCheckResult | null | Error>) {
    results.set(name, answers);
    return stage.start('domainCheck', stage.newId(name), [{ ...input, domainId: name }], attributes);
  }

  async function timerSummaries(handle: Awaited<ReturnType<Stage['start']>>): Promise<string[]> {
    const { events = [] } = await handle.fetchHistory();
    return (events ?? [])
      .filter(({ timerStartedEventAttributes }) => timerStartedEventAttributes)
      .map(({ userMetadata }) => JSON.parse(Buffer.from(userMetadata?.summary?.data ?? '""').toString()));
  }
});
