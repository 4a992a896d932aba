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
    const repeated: string[] = [];
    runner.on('pass', () => passed++);
    runner.on('fail', () => failed++);
    // Nothing is retried by default. With --retries or this.retries(), a failed try still fails the run.
    runner.on('retry', (test, error: Error) => {
      failed++;
      repeated.push(`${test.fullTitle()}\n    ${error.message.slice(0, 500)}`);
    });
    runner.once('end', () => {
      writeFileSync(process.env.EVERPOST_TEST_RESULT ?? '', JSON.stringify({ passed, failed }));
      if (repeated.length > 0)
        console.log(`Failed and tried again:\n${repeated.map((title) => `  ${title}\n`).join('')}`);
    });
  }
}
