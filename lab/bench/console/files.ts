import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openConsole } from '../../../api/console/files.ts';
import { withDrill } from '../../rig/context.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { noRelay } from '../../rig/sink.ts';

/** The editor of HTML, which its page asks for when it is shown. */
const EDITOR = /^code-mirror-/;

/** The files that the API serves, compressed by brotli as every browser takes them. */
export function files(): Promise<Figure[]> {
  return withDrill(process.env, { relay: noRelay }, async (drill) => {
    const opened = await openConsole(drill.deps);
    if (!opened) throw new Error('The console could not be bundled.');
    const { folder, manifest } = opened;
    const kbOf = (names: Iterable<string>) =>
      [...new Set(names)].reduce((sum, name) => sum + statSync(join(folder, `${name}.br`)).size, 0) / 1_000;
    const first = [manifest.script, manifest.style, manifest.first, ...manifest.chunks];
    const loads = Object.entries(manifest.pages).map(([page, own]) => ({ page, kb: kbOf([...first, ...own]) }));
    const editor = manifest.files.filter((name) => EDITOR.test(name));
    const [largest] = loads.toSorted((a, b) => b.kb - a.kb);
    return [
      figure('First load, compressed, of the page with the largest one', 'kB', [largest?.kb ?? Number.NaN], {
        asked: { atMost: 120 },
        note: `${largest?.page}, without the editor of HTML`,
      }),
      figure('The editor of HTML, which templates load after it, compressed', 'kB', [kbOf(editor)]),
      figure('All files of the console, compressed', 'kB', [kbOf(manifest.files)]),
    ];
  });
}
