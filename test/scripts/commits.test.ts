import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkCommits } from '../../scripts/check-commits.ts';
import { temporaryFolder } from '../stack/temporary.ts';

const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgsign=false'];

describe('Subjects of commits', () => {
  const folder = temporaryFolder();
  let history: string;
  let start: string;
  before(() => {
    history = join(folder(), 'history');
    mkdirSync(history);
    git('init', '--quiet');
    commit('Anything At All');
    start = git('rev-parse', 'HEAD').trim();
  });

  function git(...args: string[]): string {
    return execFileSync('git', [...author, ...args], { cwd: history, encoding: 'utf8' });
  }

  function commit(subject: string): void {
    git('commit', '--quiet', '--allow-empty', '--message', subject);
  }

  /** The fault of a commit that was just made. */
  function faultOf(subject: string): string | undefined {
    commit(subject);
    return checkCommits(history, 'HEAD~1')?.[0]?.split('\n')[1]?.trim();
  }

  it('are an area and an imperative, of at most 72 characters', () => {
    for (const subject of [
      'campaigns: count the ledger once',
      'core, api: need less',
      'check:api: know a rule',
      `api: add ${'x'.repeat(63)}`,
    ])
      expect(faultOf(subject), subject).to.equal(undefined);
    expect(faultOf(`api: add ${'x'.repeat(64)}`)).to.equal('It has 73 characters; 72 are allowed.');
    for (const subject of ['Add a field', 'api: Add a field', 'api add a field', 'API: add a field', 'api: add'])
      expect(faultOf(subject), subject).to.match(/^Write "area: imperative"/);
    for (const verb of ['added', 'adds', 'adding'])
      expect(faultOf(`api: ${verb} a field`)).to.equal(`Write an imperative behind the area ("count"), not "${verb}".`);
  });

  it('are checked from the first one on that has this form, and not in merges', () => {
    expect(checkCommits(history, 'HEAD')).to.deep.equal([]);
    const [first = ''] = checkCommits(history, start)?.slice(-1) ?? [];
    expect(first).to.include('73 characters');
    const before = checkCommits(history, start)?.length;
    git('checkout', '--quiet', '-b', 'branch', start);
    commit('api: merge this');
    git('checkout', '--quiet', '-');
    git('merge', '--quiet', '--no-ff', '-m', "Merge branch 'branch'", 'branch');
    expect(checkCommits(history, start)?.length).to.equal(before);
  });

  it('are not checked in a clone without that one, nor where there is no git', () => {
    const shallow = join(folder(), 'shallow');
    git('clone', '--quiet', '--depth', '1', `file://${history}`, shallow);
    expect(checkCommits(shallow, start)).to.equal(null);
    expect(checkCommits(folder(), start)).to.equal(null);
    const { PATH } = process.env;
    try {
      process.env.PATH = folder();
      expect(checkCommits(history, start)).to.equal(null);
    } finally {
      process.env.PATH = PATH;
    }
  });
});
