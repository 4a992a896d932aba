import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one describe, gone afterwards. */
export function temporaryFolder(): () => string {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'everpost-stack-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return () => folder;
}
