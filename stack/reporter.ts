import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { MochaOptions, Runner } from 'mocha';

const Mocha = createRequire(import.meta.url)('mocha') as typeof import('mocha');

/** Mocha's spec reporter, which also notes the counts for the last line of `npm test`. */
export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    let passed = 0;
    let failed = 0;
    const second: string[] = [];
    runner.on('pass', () => passed++);
    runner.on('fail', () => failed++);
    // Named at the end: a test that needs a second try wants a look, even where the machine was to blame.
    runner.on('retry', (test, error: Error) => second.push(`${test.fullTitle()}\n    ${error.message.slice(0, 500)}`));
    runner.once('end', () => {
      writeFileSync(process.env.EVERPOST_TEST_RESULT ?? '', JSON.stringify({ passed, failed }));
      if (second.length > 0) console.log(`Tried a second time:\n${second.map((title) => `  ${title}\n`).join('')}`);
    });
  }
}
