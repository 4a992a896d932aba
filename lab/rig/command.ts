import { StackError } from '../../stack/output.ts';

/** Ends this process with the answer of `main`. A StackError is for who gave the command, and says so without a stack. */
export function runCommand(main: (args: string[]) => Promise<number>): void {
  main(process.argv.slice(2)).then(
    (code) => process.exit(code),
    (error) => {
      console.error(error instanceof StackError ? error.message : error);
      process.exit(1);
    },
  );
}

/** Each with what it does. */
export function helpOf(command: 'bench' | 'drill', all: Record<string, { does: string }>): string {
  const lines = Object.entries(all).map(([name, { does }]) => `  npm run ${command} -- ${name}\n      ${does}`);
  return [command === 'bench' ? 'Benches:' : 'Drills:', ...lines].join('\n');
}
