import { htmlOf } from '../../parts/mail/html-of.ts';

const TO_REPLACE = 'Write here what you want to say.';

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
