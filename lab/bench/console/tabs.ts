import { readdirSync, readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { makePolite } from '../../../platform/priority.ts';
import { browser } from '../../../test/support/browser/chromium.ts';
import { signIn } from '../../../test/support/browser/console.ts';
import { type Client, createClient } from '../../../test/support/client.ts';
import { type DrillContext, withDrill } from '../../rig/context.ts';
import { cpuOf } from '../../rig/processes.ts';
import { noRelay } from '../../rig/sink.ts';

const VIEW = { width: 1400, height: 1000 };
const WAIT_MS = 60_000;

/** An API whose installation sends nothing, and a client with the key of its project. */
interface Api {
  drill: DrillContext;
  /** Ends in /v1. */
  url: string;
  client: Client;
}

export function withApi<T>(work: (api: Api) => Promise<T>): Promise<T> {
  return withDrill(process.env, { relay: noRelay }, async (drill) => {
    const { child, url } = await drill.startApi();
    const found = await work({ drill, url, client: createClient(new URL(url).origin, drill.key) });
    await child.stop(9_000);
    return found;
  });
}

/** A tab of a browser with an empty cache, signed in as the owner. Its faults are kept, and thrown when it is closed. */
export interface Tab {
  page: Page;
  /** A path of the console, of the project: '/contacts'. */
  go(path: string): Promise<void>;
  close(): Promise<void>;
}

/** `url` ends in /v1. */
export async function openTab(drill: DrillContext, url: string): Promise<Tab> {
  const { deps, project } = drill;
  const baseURL = new URL(url).origin;
  const look = { viewport: VIEW, locale: 'en-GB', timezoneId: 'Europe/Berlin' };
  const context: BrowserContext = await (await browser()).newContext({ baseURL, ...look });
  context.setDefaultTimeout(WAIT_MS);
  await signIn({ deps }, context, { organization: { _id: project.organizationId } }, { role: 'owner', url: baseURL });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
  return {
    page,
    go: async (path) => void (await page.goto(`/console/${project._id.toHexString()}${path}`)),
    async close() {
      await context.close();
      if (faults.length > 0) throw new Error(`The page had faults: ${faults.join(' | ')}`);
    },
  };
}

/** Bundles the console before it is measured. */
export async function warmConsole(url: string): Promise<void> {
  await fetch(`${new URL(url).origin}/console`);
}

/** The processes of the browser, which has a session of its own. */
interface BrowserProcesses {
  cpuSeconds(): number;
  /** The processes under test come first, as when a person looks from another machine. */
  lowerPriority(): void;
}

/** Once it is started. */
export function browserProcesses(): BrowserProcesses {
  const leader = processes().find(({ pid, parent, session }) => parent === process.pid && session === pid);
  if (!leader) throw new Error('The browser has no session of its own.');
  return {
    cpuSeconds: () =>
      cpuOf(processes().flatMap(({ pid, session }) => (session === leader.pid ? [pid] : []))).cpuSeconds,
    lowerPriority: () => makePolite(leader.pid, { hasOwnSession: true }),
  };
}

function processes(): Array<Record<'pid' | 'parent' | 'session', number>> {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, parent, , session] = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
        return [{ pid: Number(name), parent: Number(parent), session: Number(session) }];
      } catch {
        // It has ended.
        return [];
      }
    });
}
