import { setImmediate } from 'node:timers/promises';
import type { Block, Content, Look, Span } from '../../../schemas/templates/block-types.ts';
import { AppError, invalid } from '../../base/errors.ts';
import { breathe } from '../../base/work/breathe.ts';
import { compiledBlocks } from '../assemble/assemble.ts';
import { compiledOnce } from '../cache.ts';
import { Findings, type Note } from './findings.ts';
import { backgroundOf } from './styles.ts';
import { type Element, isElement, NotConvertible, readTree } from './tree.ts';
import { Walk } from './walk.ts';
import { tidy, wordsOf } from './words.ts';

/** One of the two, with what became of parts that no block has. */
interface Converted {
  content: Content | null;
  emailTemplate: string | null;
  /** Of the first <title>. */
  title: string;
  notes: Note[];
}

interface Source {
  from: 'html' | 'mjml';
  source: string;
}

/** HTML that no blocks can be made of stays code; MJML is refused then, since nothing here compiles it. */
export async function convertSource(given: Source): Promise<Converted> {
  const { from, source } = given;
  await breathe(source);
  if (from === 'html') compiledOnce(source, 'html', 'source');
  // Each of these takes long for a short source that is made of variables.
  await setImmediate();
  const findings = new Findings();
  try {
    const tree = await readTree(source, from === 'mjml');
    const blocks = withFooter(new Walk(findings).of(tree.children));
    await setImmediate();
    if (blocks.length === 0) throw new NotConvertible(1, 'there are no words and no pictures');
    const content: Content = { v: 1, ...lookOf(tree), blocks };
    await compiledBlocks(content);
    const { title, notes } = findings;
    return { content, emailTemplate: null, title, notes: [...notes, ...withoutWayOut(blocks, source)].sort(byLine) };
  } catch (error) {
    return asCode(given, faultOf(error), findings.title);
  }
}

function asCode(
  { from, source }: Source,
  { line, message }: { line: number; message: string },
  title: string,
): Converted {
  if (from === 'mjml')
    throw invalid(`The MJML cannot become blocks: line ${line}: ${message}`, `source: line ${line}: ${message}`);
  return { content: null, emailTemplate: source, title, notes: [{ line, text: `stays code: ${message}` }] };
}

/** Blocks that are too many, or too long, are no fault of a line. */
function faultOf(error: unknown): { line: number; message: string } {
  if (error instanceof NotConvertible) return error;
  if (error instanceof AppError && error.kind === 'invalid')
    return { line: 1, message: error.details ?? error.message };
  throw error;
}

function byLine(one: Note, other: Note): number {
  return one.line - other.line;
}

function lookOf(tree: Element): { look?: Look } {
  const look: Look = {};
  for (const element of outer(tree)) {
    const { lang = '', width = '' } = element.attributes;
    if (/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(lang)) look.language ??= lang;
    const background = element.name === 'body' || element.name === 'mj-body' ? backgroundOf(element) : undefined;
    if (background) look.background = background;
    const pixels = element.name === 'mj-body' ? Number.parseInt(width, 10) : 0;
    if (pixels >= 480 && pixels <= 720) look.width = pixels;
  }
  return Object.keys(look).length > 0 ? { look } : {};
}

/** Elements around all others. */
function* outer({ children }: Element): Generator<Element> {
  for (const child of children)
    if (isElement(child) && ['html', 'body', 'mjml', 'mj-body'].includes(child.name)) {
      yield child;
      yield* outer(child);
    }
}

/** The last paragraph, where it has the link to unsubscribe, is the footer. */
function withFooter(blocks: Block[]): Block[] {
  const last = blocks.at(-1);
  const node = last?.type === 'text' ? last.nodes.at(-1) : undefined;
  const spans = node?.spans ?? [];
  const labelOf = (variable: string) => wordsOf(spans.filter(({ href }) => isTo(href, variable))).trim();
  const [unsubscribe, preferences] = [labelOf('unsubscribe'), labelOf('preferencesUrl')];
  if (last?.type !== 'text' || unsubscribe === '') return blocks;
  const words = tidy(spans.filter(({ href }) => !isTo(href, 'unsubscribe') && !isTo(href, 'preferencesUrl')));
  const more = { ...(words.length > 0 && { spans: words }), unsubscribe, ...(preferences && { preferences }) };
  const before = last.nodes.slice(0, -1);
  const footer: Block = { id: 'footer', type: 'footer', ...more };
  return [...blocks.slice(0, -1), ...(before.length > 0 ? [{ ...last, nodes: before }] : []), footer];
}

function isTo(href: Span['href'], variable: string): boolean {
  return href?.replaceAll(' ', '') === `{{${variable}}}`;
}

function withoutWayOut(blocks: readonly Block[], source: string): Note[] {
  if (blocks.at(-1)?.type === 'footer' || /\{\{ ?(?:unsubscribe|preferencesUrl) ?\}\}/.test(source)) return [];
  return [{ line: source.split('\n').length, text: 'no link to unsubscribe: marketing mail needs a footer' }];
}
