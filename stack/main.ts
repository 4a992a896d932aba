import { StackError } from './output.ts';

const commands: Record<string, () => Promise<{ main: (args: string[]) => Promise<void> }>> = {
  start: () => import('./start.ts'),
  servers: () => import('./servers.ts'),
  test: () => import('../scripts/tests/run.ts'),
  'test:mta': () => import('../scripts/tests/run-mail-programs.ts'),
};

const [command = '', ...args] = process.argv.slice(2);
process.stdout.on('error', () => {}); // a closed pipe must not end what is running
try {
  const load = commands[command];
  if (!load) throw new StackError(`Say what to do: ${Object.keys(commands).join(', ')}.`);
  await (await load()).main(args);
} catch (error) {
  console.error(error instanceof StackError ? error.message : error);
  process.exit(1);
}
