import { EverpostError } from '../../../client/index.ts';
import { nameIn, refusalsIn, wordsOfRefusal } from '../../mail-editor/model/checks.ts';
import { Button } from '../../parts/forms/button.tsx';
import { sentenceOf } from '../../parts/forms/form.ts';
import type { Parts } from '../../parts/forms/overtaken.tsx';
import { Notice } from '../../parts/page/notice.tsx';
import { type Address, to } from '../../router.ts';
import { nameOf } from './languages/texts.ts';

/** A call that was refused, and what it sent. */
export interface Refused<V> {
  error: unknown;
  act: 'saved' | 'published';
  values: V;
}

/** How the page shows a place in what is written. */
export interface Ways {
  block?(id: string): void;
  code?(place: { line: number; column: number }): void;
}

interface Known {
  parts: Parts<object>;
  content: unknown;
  /** The page of the template; null: of a part, which has no translations. */
  templateId: string | null;
  layoutId: string | null;
  ways: Ways;
}

interface Row {
  title: string;
  text: string;
  /** To the place. */
  way?: { href: Address } | { show: () => void } | undefined;
}

/** As many as fit above the page. */
const ROWS_MAX = 5;

/** Each line of a refusal in the words of the page, with a way to its place. */
export function RefusedNotice({
  refused: { error, act },
  known,
}: {
  refused: Pick<Refused<unknown>, 'error' | 'act'>;
  known: Known;
}) {
  const rows = rowsOf(error, known);
  if (rows.length === 0) return <Notice kind="bad" title={`It was not ${act}: ${sentenceOf(error)}`} />;
  return rows.slice(0, ROWS_MAX).map(({ title, text, way }) => (
    <Notice key={`${title} ${text}`} kind="bad" title={`It was not ${act}: ${title}`} action={way && wayTo(title, way)}>
      {text}
    </Notice>
  ));
}

function wayTo(title: string, way: NonNullable<Row['way']>) {
  if ('href' in way) return <OpenIt title={title} href={way.href} />;
  return (
    <Button isSmall label={`Show it: ${title}`} onClick={way.show}>
      Show it
    </Button>
  );
}

/** To the page that has what a notice is about. */
export function OpenIt({ title, href }: { title: string; href: Address }) {
  return (
    <a class="link" href={href} aria-label={`Open it: ${title}`}>
      Open it
    </a>
  );
}

function rowsOf(error: unknown, known: Known): Row[] {
  const details = error instanceof EverpostError && error.status === 400 ? (error.details ?? '') : '';
  return details.split('; ').flatMap((line) => rowOf(line, known) ?? []);
}

function rowOf(line: string, known: Known): Row | null {
  const { ways, content } = known;
  const [refusal] = refusalsIn(line);
  if (refusal) {
    const { blockId } = refusal;
    const way = ways.block && { show: () => ways.block!(blockId) };
    return { title: nameIn(content, blockId), text: wordsOfRefusal(refusal), way };
  }
  const [, path = '', text = ''] = /^([\w$/-]+)(?: \(block "[^"]*"\))?: (.+)$/s.exec(line) ?? [];
  if (text === '') return null;
  return rowOfLanguage(path, text, known) ?? rowOfField(path, text, known);
}

/** `translations/fr/texts/intro/spans: ...`, on a page of its own. */
function rowOfLanguage(path: string, text: string, { templateId }: Known): Row | null {
  const [, language] = /^translations\/([\w-]+)/.exec(path) ?? [];
  if (!language || templateId === null) return null;
  return { title: nameOf(language), text, way: { href: to(`/templates/${templateId}/languages`, { language }) } };
}

function rowOfField(path: string, text: string, { parts, layoutId, ways }: Known): Row {
  const [name = ''] = path.split('/');
  const part = (parts as Record<string, string | { label: string }>)[name];
  const title = typeof part === 'object' ? part.label : (part ?? 'The mail');
  if (name === 'layoutId' && layoutId !== null && text.startsWith('in the layout'))
    return { title, text, way: { href: to(`/templates/layouts/${layoutId}`) } };
  const [, line, column] = /^line (\d+), column (\d+)/.exec(text) ?? [];
  const place = { line: Number(line), column: Number(column) };
  if (name === 'emailTemplate')
    return { title, text, way: ways.code && line ? { show: () => ways.code!(place) } : undefined };
  return { title, text, way: fieldNamed(name) ? { show: () => fieldNamed(name)?.focus() } : undefined };
}

function fieldNamed(name: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`main [name="${CSS.escape(name)}"]`);
}

/** Of a job: the sentence alone, whose places are on another page. */
export function wordsOfMessage(message: string): string {
  return message.replace(
    /(?:content|emailTemplate|htmlTemplate|layoutId|translations\/([\w-]+))[\w/-]*(?: \(block "[^"]*"\))?: /g,
    (_, language) => (language ? `in ${nameOf(language)}: ` : ''),
  );
}
