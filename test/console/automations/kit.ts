import type { Page } from 'playwright-core';
import type { ConsoleSuite } from '../../support/browser/console.ts';

/** The parts of the editor of an automation. */
export function editorOf(page: Page) {
  const board = page.getByRole('group', { name: 'Steps and lines' });
  return {
    board,
    panel: page.getByRole('complementary', { name: 'Step' }),
    node: (name: RegExp) => board.getByRole('link', { name }),
    plus: (line: string) => board.getByRole('button', { name: `Add a step ${line}`, exact: true }),
    item: (name: string) => page.getByRole('menuitem', { name: new RegExp(`^${name} `) }),
    saved: () => page.getByText(/^Saved \d\d:/).waitFor(),
  };
}

/** An answer of the interface, as the owner of the project gets it. */
export async function stored(suite: ConsoleSuite, path: string) {
  return (await suite.own.client.get(path)).body.data;
}
