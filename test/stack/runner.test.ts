import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '../..');
const secondTry = 'test/stack/runner-cases/second-try.ts';

describe('npm test', function () {
  this.timeout(180_000);

  it('fails for a test that would pass only at a second try', async () => {
    const { code, output } = await npmTest(secondTry);
    expect(code, output).to.equal(1);
    expect(lastLine(output)).to.equal('1 passed, 1 failed');
    expect(output).to.include('expected 1 to equal 2');
  });

  it('fails and names the test when retries are on and the second try passes', async () => {
    const { code, output } = await npmTest(secondTry, '--retries', '1');
    expect(code, output).to.equal(1);
    expect(lastLine(output)).to.equal('2 passed, 1 failed');
    const title = `${secondTry}: A suite for the runner passes only at its second try`;
    expect(output.slice(output.indexOf('\nFailures:\n'))).to.match(new RegExp(`${title}[^]*\\(tried again\\)`));
  });

  it('ends with 0 when every test passed at its first try', async () => {
    const { code, output } = await npmTest(secondTry, '--grep', 'at once');
    expect(code, output).to.equal(0);
    expect(lastLine(output)).to.equal('1 passed, 0 failed');
  });

  it('fails when no test ran', async () => {
    const { code, output } = await npmTest(secondTry, '--grep', 'no such title');
    expect(code, output).to.equal(1);
    expect(lastLine(output)).to.equal('0 passed, 0 failed');
  });
});

/** Against the servers of this run, so that none are started. */
function npmTest(...args: string[]): Promise<{ code: number; output: string }> {
  const { MONGODB_URL, REDIS_URL, TEMPORAL_ADDRESS } = process.env;
  const servers = { TEST_MONGODB_URL: MONGODB_URL, TEST_REDIS_URL: REDIS_URL, TEST_TEMPORAL_ADDRESS: TEMPORAL_ADDRESS };
  return new Promise((resolve) => {
    const env = { ...process.env, ...servers };
    execFile(process.execPath, ['stack/main.ts', 'test', ...args], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1) ?? '';
}
