import type { ObjectId } from 'mongodb';
import type { Config } from '../../schemas/config.ts';
import type { Deps } from './deps.ts';
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

/** Read only where a sandbox address occurs. */
export async function readSandbox(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  projectId: ObjectId,
): Promise<SandboxSettings> {
  const projection = { sandboxAddresses: 1, sandboxSuppressions: 1 } as const;
  const project = await db.projects.findOne(
    { _id: projectId, deletedAt: null },
    { projection, readPreference: 'primary' },
  );
  return sandboxOf(config, project ?? {});
}

/** A relay that is a mailbox passes no mail on, so there they answer in every project. */
function sandboxOf(
  { smtpMailbox }: Pick<Config, 'smtpMailbox'>,
  { sandboxAddresses = false, sandboxSuppressions = false }: Of,
): SandboxSettings {
  return { isOn: smtpMailbox || sandboxAddresses, suppresses: sandboxSuppressions };
}

/** Why nothing is sent to a sandbox address; null: it answers. */
export function whyNoSandbox(email: string, { isOn }: Pick<SandboxSettings, 'isOn'>): string | null {
  if (!isOn)
    return `Sandbox addresses (@${SANDBOX_DOMAIN}) are switched off in this project; switch them on with sandboxAddresses.`;
  if (sandboxBehaviour(email)) return null;
  const known = BEHAVIOURS.map((name) => `${name}@`).join(', ');
  return `There is no such address at ${SANDBOX_DOMAIN}; there are ${known}, each also with +anything before the @.`;
}

type Of = Pick<Project, 'sandboxAddresses' | 'sandboxSuppressions'>;

/** The same for a mail that is being accepted, whose project is known; null for all other addresses. */
export function sandboxRefusal({ config }: Pick<Deps, 'config'>, project: Of, email: string): string | null {
  return isSandboxAddress(email) ? whyNoSandbox(email, sandboxOf(config, project)) : null;
}

/** Refuses a call that names a sandbox address which does not answer. */
export function requireSandbox(
  deps: Pick<Deps, 'config'>,
  project: Of,
  emails: readonly string[],
  field: string,
): void {
  for (const email of emails) {
    const why = sandboxRefusal(deps, project, email);
    if (why) throw invalid(why, `${field}: ${why}`);
  }
}
