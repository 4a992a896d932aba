import type { ObjectId } from 'mongodb';
import type { Needs } from './deps.ts';
import { invalid } from './errors.ts';
import type { Project } from './model.ts';

/** Addresses that behave as their name says, for tests of what follows from a mail. The name is reserved: no server has it. */
export const SANDBOX_DOMAIN = 'sandbox.everpost.test';

const BEHAVIOURS = ['delivered', 'bounced', 'complained', 'deferred', 'suppressed'] as const;
const ENDING = `@${SANDBOX_DOMAIN}`;

type SandboxBehaviour = (typeof BEHAVIOURS)[number];

export interface SandboxSettings {
  isOn: boolean;
  /** Bounces and complaints suppress sandbox addresses too. */
  suppresses: boolean;
}

/** Of an address in normal form; mail to others pays this comparison and no more. */
export function isSandboxAddress(email: string): boolean {
  return email.endsWith(ENDING);
}

/** null: there is no such address. Callers may add a + and a text, so that tests do not share an address. */
export function sandboxBehaviour(email: string): SandboxBehaviour | null {
  if (!isSandboxAddress(email)) return null;
  const [name] = email.slice(0, -ENDING.length).split('+', 1);
  return BEHAVIOURS.find((one) => one === name) ?? null;
}

/**
 * Read only where a sandbox address occurs. A relay that is a mailbox passes no mail on, so there they answer in every project.
 */
export async function readSandbox(
  { db, config }: Needs<'config', 'projects'>,
  projectId: ObjectId,
): Promise<SandboxSettings> {
  const projection = { sandboxAddresses: 1, sandboxSuppressions: 1 } as const;
  const project = await db.projects.findOne(
    { _id: projectId, deletedAt: null },
    { projection, readPreference: 'primary' },
  );
  const { sandboxAddresses = false, sandboxSuppressions = false } = project ?? {};
  return { isOn: config.smtpMailbox || sandboxAddresses, suppresses: sandboxSuppressions };
}

/** Why nothing is sent to a sandbox address; null: it answers. */
export function whyNoSandbox(email: string, { isOn }: Pick<SandboxSettings, 'isOn'>): string | null {
  if (!isOn)
    return `Sandbox addresses (@${SANDBOX_DOMAIN}) are switched off in this project; switch them on with sandboxAddresses.`;
  if (sandboxBehaviour(email)) return null;
  const known = BEHAVIOURS.map((name) => `${name}@`).join(', ');
  return `There is no such address at ${SANDBOX_DOMAIN}; there are ${known}, each also with +anything before the @.`;
}

/** Refuses a call that names a sandbox address which does not answer; `field` is where the call names it. */
export async function requireSandbox(
  deps: Needs<'config', 'projects'>,
  { _id }: Pick<Project, '_id'>,
  named: ReadonlyArray<{ email: string; field: string }>,
): Promise<void> {
  const inSandbox = named.filter(({ email }) => isSandboxAddress(email));
  if (inSandbox.length === 0) return;
  // Not as the caller's key knows the project, which may be some seconds old: a test switches them on and sends at once.
  const settings = await readSandbox(deps, _id);
  for (const { email, field } of inSandbox) {
    const why = whyNoSandbox(email, settings);
    if (why) throw invalid(why, `${field}: ${why}`);
  }
}
