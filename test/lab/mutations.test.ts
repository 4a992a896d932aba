import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkoutText } from '../../lab/drills/mutations/copy.ts';
import { chosenBy, mutationDrill } from '../../lab/drills/mutations/drill.ts';
import { faultOf, type Mutation } from '../../lab/drills/mutations/mutation.ts';
import { mutations } from '../../lab/drills/mutations/mutations.ts';
import { endOf } from '../../lab/drills/mutations/run-tests.ts';
import type { Verdict } from '../../lab/rig/results/drill-results.ts';

const noticed: Mutation = {
  name: 'formulas are exported as they are',
  file: 'core/base/text/csv.ts',
  find: "const FORMULA = /^'*[=+",
  replace: "const FORMULA = /^'*[+",
  tests: ['test/base/csv.test.ts'],
};

const FAILED = `
  A campaign
    1) at noon leaves no one out

  0 passing (3s)
  1 failing

  1) A campaign
       at noon leaves no one out:

      AssertionError: expected 3 to equal 2
      at Context.<anonymous> (test/a.test.ts:1:1)

Tests took 4.0 s with everything.
0 passed, 1 failed
`;

describe('The drill of mutations', function () {
  this.timeout(180_000);

  /** A temporary folder that no other run shares. */
  const usual = process.env.TMPDIR;
  const own = mkdtempSync(join(tmpdir(), 'everpost-drill-'));
  before(() => {
    process.env.TMPDIR = own;
  });
  after(() => {
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
    rmSync(own, { recursive: true, force: true });
  });

  it('distinguishes a mutation that its tests notice from one that survives, and leaves no copy behind', async () => {
    const survivor = { ...noticed, name: 'tested elsewhere', tests: ['test/composing/headers.test.ts'] };
    const progress: string[] = [];
    expect(await verdicts([noticed, survivor], progress)).to.deep.equal([
      { kept: false, says: 'tested elsewhere (core/base/text/csv.ts): survived' },
      { kept: false, says: '2 mutations, 1 noticed, 1 not' },
    ]);
    expect(globSync('everpost-mutations-*', { cwd: own })).to.deep.equal([]);
    expect(
      progress.find((line) => line.includes(noticed.name)),
      'says by which test',
    ).to.match(/: noticed \(1\) .+: AssertionError: expected/);
  });

  it('does not count a mutation whose tests do not run without it', async () => {
    const [verdict] = await verdicts([{ ...noticed, grep: 'no such title' }]);
    expect(verdict?.kept).to.equal(false);
    expect(verdict?.says).to.match(/: its tests ran none without it \(.*0 passed, 0 failed\)$/);
  });

  it('says why tests failed: the first failing title with its error, or the last lines', () => {
    expect(endOf(FAILED)).to.deep.equal({
      how: 'failed',
      reason: '1) A campaign at noon leaves no one out: AssertionError: expected 3 to equal 2',
    });
    expect(endOf('node:internal\nError: no such file\n')).to.deep.equal({
      how: 'failed',
      reason: 'node:internal Error: no such file',
    });
    expect(endOf('Tests took 1.0 s with everything.\n2 passed, 0 failed\n')).to.deep.equal({
      how: 'passed',
      reason: '',
    });
  });

  it('does not count a hook that failed, nor a test that only waited until its time was over', () => {
    const early = FAILED.replace('at noon leaves no one out:', '"before all" hook for "at noon leaves no one out":');
    expect(endOf(early).how).to.equal('failed in a hook');
    const late = FAILED.replace('AssertionError: expected 3 to equal 2', 'Error: Timeout of 30000ms exceeded.');
    expect(endOf(late).how).to.equal('hung');
    expect(endOf('  A campaign\n', true).how).to.equal('hung');
  });

  it('has a list that fits the code as it is', () => {
    expect(mutations.flatMap((mutation) => faultOf(mutation, checkoutText) ?? [])).to.deep.equal([]);
  });

  it('fails with a sentence for a mutation whose text is not found, or whose file or test is gone', async () => {
    const stale = [
      { ...noticed, name: 'text', find: 'const NO_SUCH_LINE' },
      { ...noticed, name: 'file', file: 'core/no-such-file.ts' },
      { ...noticed, name: 'test', tests: ['test/no-such.test.ts'] },
    ];
    const fault = await verdicts(stale).catch((error: Error) => error.message);
    expect(fault).to.equal(
      [
        'the list of mutations is out of date:',
        '"text" needs its text exactly once in core/base/text/csv.ts, where it is 0 times: const NO_SUCH_LINE',
        '"file" names core/no-such-file.ts, which is not there.',
        '"test" names test/no-such.test.ts, which is not there.',
      ].join('\n'),
    );
  });

  it('has at least 60 mutations, each of one line and under a name of its own', () => {
    expect(mutations.length).to.be.at.least(60);
    expect(new Set(mutations.map(({ name }) => name)).size).to.equal(mutations.length);
    for (const mutation of mutations)
      expect(
        faultOf(mutation, () => mutation.find),
        mutation.name,
      ).to.equal(null);
    expect(() => chosenBy('no such mutation', mutations)).to.throw('no mutation has "no such mutation"');
  });
});

async function verdicts(some: Mutation[], progress: string[] = []): Promise<Verdict[]> {
  const found: Verdict[] = [];
  for await (const verdict of mutationDrill(some, process.env, (line) => progress.push(line))) found.push(verdict);
  return found;
}
