import type { TemplateContent } from '../../../client/index.ts';
import type { Block } from '../../../schemas/templates/block-types.ts';
import { freshBlock } from '../../mail-editor/model/fresh.ts';

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

const FOOTER = `
            <tr>
              <td style="padding: 16px 24px; font: 12px/18px Arial, sans-serif; color: #6b6b72">
                You get this mail because you are on our list.
                <a href="{{unsubscribe}}" style="color: #6b6b72">Unsubscribe</a>
              </td>
            </tr>`;

const BUTTON =
  'display: inline-block; padding: 12px 20px; background: #18181b; color: #ffffff; text-decoration: none; border-radius: 6px';

/** Code to begin with: HTML that works in mail programs, one column, tables, no style sheet. */
export function starter(templateType: string): string {
  const isMarketing = templateType === 'marketing';
  const heading = isMarketing ? '{{#if firstName}}Hello {{firstName}}{{else}}Hello{{/if}}' : 'Hello {{name}}';
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
  </head>
  <body style="margin: 0; background: #f4f4f5">
    <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
      <tr>
        <td align="center" style="padding: 24px 8px">
          <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width: 600px; background: #ffffff">
            <tr>
              <td style="padding: 24px; font: 16px/24px Arial, sans-serif; color: #1c1c1f">
                <h1 style="margin: 0 0 16px; font-size: 24px; line-height: 32px">${heading}</h1>
                <p style="margin: 0 0 16px">${TO_REPLACE}</p>
                <p style="margin: 0"><a href="https://example.com/" style="${BUTTON}">Read more</a></p>
              </td>
            </tr>${isMarketing ? FOOTER : ''}
          </table>
        </td>
      </tr>
    </table>
  </body>
</html>
`;
}
