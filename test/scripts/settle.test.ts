import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Failure, judge, knownMax, readKnown, secondTries } from '../../scripts/tests/settle.ts';
import { isOfRest, isSampled, promiseOf, promises } from '../../scripts/tests/tiers.ts';

const root = join(import.meta.dirname, '../..');
const files = globSync('test/**/*.test.ts', { cwd: root });
const sourceOf = (file: string) => readFileSync(join(root, file), 'utf8');
const failure = (file: string | null, title = 'A test'): Failure => ({ file, title, text: 'It failed.' });
const isPromise = (file: string) => file.includes('promise');

describe('A failure in the suite', () => {
  it('is followed by a second try of its file, once for each of at most three files', () => {
    expect(secondTries([failure('a'), failure('b'), failure('a', 'Another')], isPromise)).to.deep.equal(['a', 'b']);
    expect(
      secondTries(
        ['a', 'b', 'c'].map((file) => failure(file)),
        isPromise,
      ),
    ).to.deep.equal(['a', 'b', 'c']);
    expect(
      secondTries(
        ['a', 'b', 'c', 'd'].map((file) => failure(file)),
        isPromise,
      ),
    ).to.equal(null);
  });

  it('has no second try when it breaks a promise, or when the run itself ended', () => {
    expect(secondTries([failure('a'), failure('promise')], isPromise)).to.equal(null);
    expect(secondTries([failure(null)], isPromise)).to.equal(null);
  });

  it('that passes alone is accepted only when the page of unsettled tests has a line for its file', () => {
    const one = [failure('test/a.test.ts', 'Says why')];
    expect(judge(one, new Set(['test/a.test.ts']))).to.deep.equal({
      lines: ['unsettled: test/a.test.ts, Says why'],
      isAccepted: true,
    });
    const unknown = judge(one, new Set(['test/b.test.ts']));
    expect(unknown.isAccepted).to.equal(false);
    expect(unknown.lines[0]).to.match(/^unsettled: .*write a line with the date and the cause/);
  });

  it('is known by a line with a file, a date and a cause, of which there are at most ten', () => {
    const line = '- test/a.test.ts, 2026-11-26: the list has no order.';
    expect([...readKnown(`# Title\n\nText.\n${line}\n`)]).to.deep.equal(['test/a.test.ts']);
    for (const bad of ['- test/a.test.ts', '- test/a.test.ts, 2026-11-26: ', '- a, yesterday: it failed.'])
      expect(() => readKnown(bad), bad).to.throw('write "- file, date: cause"');
    expect(() => readKnown(`${line}\n`.repeat(knownMax + 1))).to.throw('11 lines; 10 are the most');
  });
});

describe('The page of unsettled tests', () => {
  it('names files that are there and protect no promise', () => {
    for (const file of readKnown(sourceOf('test/unsettled.md'))) {
      expect(existsSync(join(root, file)), file).to.equal(true);
      expect(promiseOf(sourceOf(file)), file).to.equal(null);
    }
  });
});

describe('The promises of test files', () => {
  it('are those that a first line may name, and each has files', () => {
    const marked = files.map((file) => promiseOf(sourceOf(file))).filter((promise) => promise !== null);
    expect([...new Set(marked)].sort()).to.deep.equal(promises.toSorted());
    const misplaced = files.filter((file) => /^\/\/ ?promise/im.test(sourceOf(file)) && !promiseOf(sourceOf(file)));
    expect(misplaced).to.deep.equal([]);
  });
});

describe('The two tiers of the suite', () => {
  it('have every test file once, most of them in the first', () => {
    const rest = files.filter(isOfRest);
    expect(rest.length).to.be.within(10, files.length / 5);
  });

  it('share the files of which the first tries a fifth of the random cases', () => {
    const sampled = files.filter(isSampled);
    expect(sampled.length).to.be.above(5);
    expect(sampled.filter(isOfRest)).to.deep.equal([]);
    const whole = sampled.filter((file) => !/someOf\(|fuzzOptions\(|fuzz\w+\(/.test(sourceOf(file)));
    expect(whole).to.deep.equal([]);
    const others = files.filter((file) => !isSampled(file) && /\bsomeOf\(/.test(sourceOf(file)));
    expect(others).to.deep.equal([]);
  });
});
