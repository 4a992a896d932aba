import fc from 'fast-check';
import { decorateHtml, htmlToText } from '../../core/templates/html/links.ts';
import {
  compileTemplate,
  renderTemplate,
  type TemplateKind,
  TemplateRenderError,
} from '../../core/templates/language/templates.ts';
import { leastOf } from '../linear/cpu.ts';
import { type FuzzOptions, type FuzzResult, fuzz } from './run.ts';

const PIECES = [
  ...['{{', '}}', '{{{', '}}}', '{{#if a}}', '{{/if}}', '{{else}}', '{{#each a}}', '{{/each}}', '{{a}}', '{{../a}}'],
  ...['{{@index}}', '{{upper a}}', '{{{a}}}', '{{!', '--}}', '(', ')', '~', '^', '&', "'", '\\', '\ue000', '&#xe000;'],
  ...[
    '<a href="',
    '">',
    '<script>',
    '</script>',
    '<!--',
    '-->',
    '<table><tr><td>',
    '</td>',
    '<pre>',
    '<b',
    ' href=',
    '?',
  ],
];
const RUN_MAX = 20_000;

const runs = fc
  .tuple(fc.constantFrom('<', ' ', '?', '<b>', '<a ', '{', '}', '&', '"', '<ul><li>', 'a'), fc.nat(RUN_MAX))
  .map(([unit, length]) => unit.repeat(Math.ceil(length / unit.length)));
const sources = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 4, arbitrary: fc.string({ maxLength: 6 }) },
      { weight: 1, arbitrary: runs },
    ),
    { maxLength: 16 },
  )
  .map((pieces) => pieces.join(''));
const inputs = fc.record({
  source: sources,
  kind: fc.constantFrom<TemplateKind>('html', 'text', 'subject'),
  variables: fc.record({ a: fc.anything({ withNullPrototype: true, withDate: true, withBigInt: true }) }),
});

/** Sources are compiled, rendered, decorated and made into text, or refused with a line or a reason. */
export function fuzzTemplates(options: FuzzOptions): Promise<FuzzResult> {
  return fuzz(
    'templates',
    inputs,
    ({ source, kind, variables }) => leastOf(() => use(source, kind, variables)),
    options,
  );
}

function use(source: string, kind: TemplateKind, variables: Record<string, unknown>): void {
  const result = compileTemplate(source, kind);
  if (!result.ok) {
    if (!(result.line > 0)) throw new Error('a refusal names no line');
    return;
  }
  const text = rendered(() => renderTemplate(result.template, variables));
  if (text === null || kind !== 'html') return;
  rendered(() => decorateHtml(text, { previewText: 'preview' }));
  rendered(() => htmlToText(text));
}

function rendered(work: () => string): string | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateRenderError) return null;
    throw error;
  }
}
