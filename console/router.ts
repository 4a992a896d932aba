import { batch, signal } from '@preact/signals';
import type { Path } from './paths.ts';

const BASE = '/console';
const PROJECT = /^[0-9a-f]{24}$/;

export interface Place {
  /** Of the address; null in one that names none. */
  projectId: string | null;
  /** Behind the project: '/campaigns/5f2b...'. */
  path: string;
  query: URLSearchParams;
}

/** Where the browser is. Pages read it; `navigate` and links change it. */
export const place = signal<Place>(readPlace(location));

/** Written into every link; the frame sets it. */
export const linkedProject = signal<string | null>(place.value.projectId);

/** Grows with every move to another page, but not with a change of the query: the frame moves the focus then. */
export const moves = signal(0);

/** The page that an address of the console names. */
export function readPlace(url: Pick<URL, 'pathname' | 'search'>): Place {
  const segments = url.pathname.slice(BASE.length).split('/').filter(Boolean).map(decodeURIComponent);
  const projectId = segments[0] && PROJECT.test(segments[0]) ? segments[0] : null;
  const path = `/${(projectId ? segments.slice(1) : segments).map(encodeURIComponent).join('/')}`;
  return { projectId, path, query: new URLSearchParams(url.search) };
}

/** With the project, as the browser shows it. */
export type Address = `/console${string}`;

/** The address of a page of this project, for `href`: `to('/campaigns')`. */
export function to(path: Path, query?: Record<string, string | number | null | undefined>): Address {
  const project = linkedProject.value;
  return `/console${project ? `/${project}` : ''}${path === '/' ? '' : path}${queryText(query)}`;
}

/** Moves to an address made by `to`, or to a path of this project. */
export function navigate(target: Path | Address, { replace = false, isAsked = true } = {}): void {
  const url = isAddress(target) ? target : to(target);
  const go = () => {
    history[replace ? 'replaceState' : 'pushState'](null, '', url);
    arrive();
  };
  if (!isAsked || !isHeld(url, go)) go();
}

/** true: the page is not left yet, and `go` is called when the person wants it. */
type Hold = (go: () => void) => boolean;
const holds = new Set<Hold>();
let shown = location.href;

/** A page that must not be left without a question, until the answer is called. */
export function holdPage(hold: Hold): () => void {
  holds.add(hold);
  return () => holds.delete(hold);
}

/** Filters and tabs stay on the page. */
function isHeld(url: string, go: () => void): boolean {
  const isSamePage = new URL(url, location.origin).pathname === new URL(shown).pathname;
  return !isSamePage && [...holds].some((hold) => hold(go));
}

export function isAddress(target: string): target is Address {
  return target.startsWith(BASE);
}

/** Changes parts of the query, for filters, pages and tabs; null removes one. The Back button passes over it unless `push`. */
export function setQuery(changes: Record<string, string | number | null>, { push = false } = {}): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === '') query.delete(name);
    else query.set(name, String(value));
  const text = query.toString();
  history[push ? 'pushState' : 'replaceState'](null, '', location.pathname + (text && `?${text}`));
  arrive();
}

/** The parameters of `/campaigns/{campaignId}`, or null when the path is another one. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name && value) found[name] = decodeURIComponent(value);
    else if (part !== value) return null;
  }
  return found;
}

function queryText(query: Record<string, string | number | null | undefined> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : '';
}

function arrive(): void {
  const before = place.peek();
  const next = readPlace(location);
  shown = location.href;
  batch(() => {
    place.value = next;
    if (next.path !== before.path || next.projectId !== before.projectId) moves.value += 1;
  });
}

/** Links of the console change the page without a load; all others, and those for a new tab, are the browser's. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    const target = location.href;
    const go = () => {
      history.pushState(null, '', target);
      arrive();
    };
    // The browser is there already.
    if (isHeld(target, go)) history.pushState(null, '', shown);
    else arrive();
  });
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest?.('a');
    if (!link || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || link.target || link.hasAttribute('download')) return;
    if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return;
    event.preventDefault();
    navigate(`/console${link.pathname.slice(BASE.length)}${link.search}`);
  });
}
