import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A page in headless Chromium with JavaScript switched off, as a careful reader has it. */
interface BrowserPage {
  open(url: string): Promise<void>;
  /** The text of the first element that fits; null when there is none. */
  read(selector: string): Promise<string | null>;
  /** Presses a key there, or the mouse button in its middle, and waits for the next page. */
  press(selector: string, how: 'mouse' | 'Enter'): Promise<void>;
  screenshot(): Promise<Buffer>;
  close(): Promise<void>;
}

type Send = <T>(method: string, params?: object) => Promise<T>;

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The Chromium of this machine, as Debian and others call it; null when there is none. CHROMIUM names another. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env.CHROMIUM) return env.CHROMIUM;
  const folders = (env.PATH ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file)) ?? null;
}

export async function openBrowser(chromium: string): Promise<BrowserPage> {
  const profile = mkdtempSync(join(tmpdir(), 'everpost-chromium-'));
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--window-size=720,640'];
  const child = spawn(chromium, [...flags, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (piece) => {
      text += piece;
      const found = /DevTools listening on (ws:\/\/\S+)/.exec(text)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', () => reject(new Error(`${chromium} did not start: ${text.slice(-500)}`)));
  });
  const targets = (await (await fetch(`http://${new URL(address).host}/json`)).json()) as Array<{
    type: string;
    webSocketDebuggerUrl: string;
  }>;
  const { send, next, close } = await speak(targets.find(({ type }) => type === 'page')!.webSocketDebuggerUrl);
  await send('Page.enable');
  await send('Emulation.setScriptExecutionDisabled', { value: true });

  const loading = async (work: () => Promise<unknown>) => {
    const loaded = next('Page.loadEventFired');
    await work();
    await loaded;
  };
  return {
    open: (url) => loading(() => send('Page.navigate', { url })),
    async read(selector) {
      const nodeId = await find(send, selector);
      if (nodeId === 0) return null;
      const { outerHTML } = await send<{ outerHTML: string }>('DOM.getOuterHTML', { nodeId });
      return textOf(outerHTML);
    },
    async press(selector, how) {
      const nodeId = await find(send, selector);
      if (nodeId === 0) throw new Error(`There is no ${selector} on the page.`);
      await loading(() => (how === 'mouse' ? click(send, nodeId) : pressEnter(send, nodeId)));
    },
    async screenshot() {
      const { data } = await send<{ data: string }>('Page.captureScreenshot', { format: 'png' });
      return Buffer.from(data, 'base64');
    },
    async close() {
      close();
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await exited;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function find(send: Send, selector: string): Promise<number> {
  const { root } = await send<{ root: { nodeId: number } }>('DOM.getDocument');
  const { nodeId } = await send<{ nodeId: number }>('DOM.querySelector', { nodeId: root.nodeId, selector });
  return nodeId;
}

async function click(send: Send, nodeId: number): Promise<void> {
  const { model } = await send<{ model: { content: number[] } }>('DOM.getBoxModel', { nodeId });
  const [left = 0, top = 0, , , right = 0, bottom = 0] = model.content;
  const at = { x: (left + right) / 2, y: (top + bottom) / 2, button: 'left', clickCount: 1 };
  await send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at });
  await send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at });
}

async function pressEnter(send: Send, nodeId: number): Promise<void> {
  await send('DOM.focus', { nodeId });
  const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' };
  await send('Input.dispatchKeyEvent', { type: 'keyDown', ...key });
  await send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
}

/** The DevTools protocol over its WebSocket. */
async function speak(url: string) {
  const socket = new WebSocket(url);
  const answers = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  const events = new Map<string, () => void>();
  let id = 0;
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  socket.addEventListener('message', ({ data }) => {
    const said = JSON.parse(String(data)) as {
      id?: number;
      method?: string;
      result?: never;
      error?: { message: string };
    };
    if (said.method) events.get(said.method)?.();
    const asked = answers.get(said.id ?? 0);
    answers.delete(said.id ?? 0);
    if (said.error) asked?.reject(new Error(said.error.message));
    else asked?.resolve(said.result as never);
  });
  const send: Send = (method, params = {}) =>
    new Promise((resolve, reject) => {
      id += 1;
      answers.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
    });
  const next = (event: string) => new Promise<void>((resolve) => void events.set(event, resolve));
  return { send, next, close: () => socket.close() };
}

function textOf(html: string): string {
  const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}
