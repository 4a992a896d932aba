import { runCommand } from './processes/run.ts';

/** `npm run check:signatures`: whether the registry signed what is installed. CI runs it after npm ci. */
interface Verdict {
  readonly isRefused: boolean;
  readonly says: string;
}

interface Audit {
  readonly invalid?: readonly Package[];
  readonly missing?: readonly Package[];
  readonly error?: { readonly summary?: string };
}

interface Package {
  readonly name: string;
  readonly version: string;
}

/** Only a verdict of npm fails the check: where registry or keys cannot be had, package-lock.json still pins every hash. */
export function judgeAudit(output: string): Verdict {
  const { invalid, missing, error } = parse(output);
  if (!invalid || !missing)
    return {
      isRefused: false,
      says: `Signatures of packages were not checked: ${error?.summary ?? 'npm gave no answer'}`,
    };
  const refused = [...invalid.map(named('an invalid')), ...missing.map(named('no'))];
  if (refused.length > 0) return { isRefused: true, says: refused.join('\n') };
  return { isRefused: false, says: 'Every installed package has a valid signature of its registry.' };
}

function named(which: string): (found: Package) => string {
  return ({ name, version }) => `${name}@${version} has ${which} signature of its registry.`;
}

function parse(output: string): Audit {
  try {
    return JSON.parse(output) as Audit;
  } catch {
    return {};
  }
}

if (import.meta.main) {
  const { stdout } = await runCommand(
    'npm',
    ['audit', 'signatures', '--json', '--fetch-retries=1', '--fetch-retry-mintimeout=500'],
    process.env,
  );
  const { isRefused, says } = judgeAudit(stdout);
  console.log(says);
  process.exit(isRefused ? 1 : 0);
}
