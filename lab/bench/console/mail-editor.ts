import type { Figure } from '../../rig/results/report.ts';
import { inPage, p99Of, threadOf } from './acts.ts';
import { openTab, warmConsole, withApi } from './tabs.ts';

const BLOCKS = 200;
const KEYS = 400;
const WARM = 40;
const ASKED_MS = 16;

/** A key in the middle of the longest mail that people write, up to the frame that shows it. */
export function mailEditor(): Promise<Figure[]> {
  return withApi(async ({ drill, url, client }) => {
    const body = { templateName: 'Two hundred', subject: 'News', templateType: 'marketing', content: twoHundred() };
    const { templateId } = (await client.post('/templates', body)).body.data;
    await warmConsole(url);
    const tab = await openTab(drill, url);
    await tab.go(`/templates/${templateId}`);
    await tab.page.getByRole('textbox', { name: 'The mail', exact: true }).getByText('Line 100 Line').click();
    await tab.page.keyboard.press('End');
    const thread = await threadOf(tab.page);
    const keys = await inPage(tab.page, thread, KEYS + WARM, () => tab.page.keyboard.press('x'));
    await tab.close();
    const name = `Mail editor at ${BLOCKS} blocks, p99 of processor, a key is typed and drawn`;
    return [p99Of(name, keys.slice(WARM), { atMost: ASKED_MS })];
  });
}

function twoHundred(): object {
  const line = (_: unknown, index: number) => ({
    ...{ id: `b${index}`, type: 'text' },
    nodes: [{ type: 'paragraph', spans: [{ text: `Line ${index} `.repeat(8) }] }],
  });
  const footer = { id: 'end', type: 'footer', unsubscribe: 'Unsubscribe' };
  return { v: 1, blocks: [...Array.from({ length: BLOCKS }, line), footer] };
}
