import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makePolite } from '../../platform/priority.ts';
import { canWait } from '../../workers/process-priority.ts';

describe('A process that others need not wait for', () => {
  const children: ReturnType<typeof spawn>[] = [];
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    children.push(child);
    return child;
  };
  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  const sessionPriority = (pid: number) =>
    /nice (-?\d+)/.exec(
      existsSync(`/proc/${pid}/autogroup`) ? readFileSync(`/proc/${pid}/autogroup`, 'utf8') : 'nice 10',
    )?.[1];

  it('has a lower priority than the others, and so has its session where Linux shares between sessions', () => {
    const [polite, other] = [1, 2].map(() => start('-e', 'setTimeout(() => {}, 60_000)').pid as number);
    makePolite(polite as number, { hasOwnSession: true });
    expect([getPriority(polite), sessionPriority(polite as number)]).to.deep.equal([10, '10']);
    expect(getPriority(other)).to.equal(getPriority());
  });

  it('steps of runs and ranges of campaigns wait for the API and single mails, and not for each other', () => {
    const patient = ['workflows', 'background', 'campaign'] as const;
    for (const role of patient) {
      expect(canWait([role]), role).to.equal(true);
      expect(canWait([role, 'mail']), `${role} and mail`).to.equal(false);
    }
    expect(canWait(['workflows', 'background', 'inbound', 'submission'])).to.equal(true);
    for (const role of ['mail', 'inbound', 'submission'] as const) expect(canWait([role]), role).to.equal(false);
  });

  it('can be asked for when it is gone: nothing happens', () => {
    makePolite(2 ** 22 - 7, { hasOwnSession: true });
  });

  it('asks for it itself when it only works in the background', async () => {
    const module = join(import.meta.dirname, '../../workers/process-priority.ts');
    const script = `import('${module}').then(({ lowerPriority }) => { lowerPriority(); console.log('done'); setTimeout(() => {}, 60_000); })`;
    const child = start('--input-type=module', '-e', script);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    expect([getPriority(child.pid), sessionPriority(child.pid as number)]).to.deep.equal([10, '10']);
  });
});
