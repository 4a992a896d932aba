import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedDemo, signInLinkOf } from '../../../stack/demo/seed.ts';
import { type Client, createClient } from '../client.ts';
import type { Environment } from '../environment.ts';

/** The installation as `npm start` leaves it: the demo project, and the link that is printed, which works once. */
export async function seedFirstStart({ deps, url }: Environment): Promise<{ link(): Promise<string>; client: Client }> {
  const folder = mkdtempSync(join(tmpdir(), 'everpost-first-start-'));
  const seed = await seedDemo(deps, folder);
  rmSync(folder, { recursive: true, force: true });
  return {
    link: async () => (await signInLinkOf(deps, seed)) ?? '',
    client: createClient(url, seed.projectKey),
  };
}
