import type { TemplateContent } from '../../../client/index.ts';
import type { Block } from '../../../schemas/templates/block-types.ts';
import { freshBlock } from '../../mail-editor/model/fresh.ts';
import { htmlOf } from '../../parts/mail/html-of.ts';

const TO_REPLACE = 'Write here what you want to say.';

/** Blocks to begin with; a campaign has its footer. */
export function starterContent(templateType: string): TemplateContent {
  const isMarketing = templateType === 'marketing';
  const name = isMarketing ? { variable: 'firstName', fallback: 'there' } : { variable: 'name', fallback: 'there' };
  return {
    v: 1,
    blocks: [
      { id: 'greeting', type: 'heading', level: 1, spans: [{ text: 'Hello ' }, name] },
      { id: 'words', type: 'text', nodes: [{ type: 'paragraph', spans: [{ text: TO_REPLACE }] }] },
      { id: 'more', type: 'button', spans: [{ text: 'Read more' }], href: 'https://example.com/' },
      ...(isMarketing ? [footer] : []),
    ],
  };
}

/** Of marketing mail. */
export const footer = freshBlock('footer', 'footer') as Block<'footer'>;

/** Whether the text to begin with is still in it. */
export function isUntouched(html: string): boolean {
  return html.includes(TO_REPLACE);
}

/** The text to begin with. */
export function starter(templateType: string): string {
  const isMarketing = templateType === 'marketing';
  return htmlOf({
    heading: isMarketing ? '{{#if firstName}}Hello {{firstName}}{{else}}Hello{{/if}}' : 'Hello {{name}}',
    text: [TO_REPLACE],
    button: { label: 'Read more', href: 'https://example.com/' },
    isMarketing,
  });
}
