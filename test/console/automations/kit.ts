import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { ConsoleSuite } from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';

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

const TABS_MAX = 60;

/** Clicks, keys and texts of a person, each one act. */
export function person(page: Page) {
  const acts: string[] = [];
  const act = async (words: string, run: () => Promise<unknown>) => {
    acts.push(words);
    await run();
  };
  const press = (key: string) => act(`press ${key}`, () => page.keyboard.press(key));
  const hasFocus = (at: Locator) => at.first().evaluate((one) => one === one.ownerDocument.activeElement);
  return {
    acts,
    press,
    hasFocus,
    click: (at: Locator) => act(`click ${at}`, () => at.click()),
    write: (at: Locator, text: string) => act(`write ${text} into ${at}`, () => at.fill(text)),
    type: (text: string) => act(`type ${text}`, () => page.keyboard.type(text)),
    /** With Tab, or another key, as often as it takes. */
    async reach(at: Locator, key = 'Tab') {
      await at.first().waitFor();
      for (let left = TABS_MAX; left > 0 && !(await hasFocus(at)); left -= 1) await press(key);
      expect(await hasFocus(at), `${at} is reached`).to.equal(true);
    },
    /** The page brings the focus there by itself. */
    focused: (at: Locator) =>
      until(
        () =>
          at
            .first()
            .waitFor()
            .then(() => hasFocus(at)),
        (isThere) => isThere,
      ),
  };
}
