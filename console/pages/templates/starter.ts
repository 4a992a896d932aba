const TO_REPLACE = 'Write here what you want to say.';

/** Whether the text to begin with is still in it. */
export function isUntouched(html: string): boolean {
  return html.includes(TO_REPLACE);
}

/** HTML that works in mail programs: one column, tables, no style sheet. */
export function starter(templateType: string): string {
  const isMarketing = templateType === 'marketing';
  const greeting = isMarketing ? '{{#if firstName}}Hello {{firstName}}{{else}}Hello{{/if}}' : 'Hello {{name}}';
  const footer = isMarketing
    ? `
          <tr>
            <td style="padding: 16px 24px; font: 12px/18px Arial, sans-serif; color: #6b6b72">
              You get this because you are on our list.
              <a href="{{unsubscribe}}" style="color: #6b6b72">Unsubscribe</a>
            </td>
          </tr>`
    : '';
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
                <h1 style="margin: 0 0 16px; font-size: 24px; line-height: 32px">${greeting}</h1>
                <p style="margin: 0 0 16px">${TO_REPLACE}</p>
                <p style="margin: 0">
                  <a href="https://example.com/" style="display: inline-block; padding: 12px 20px; background: #18181b; color: #ffffff; text-decoration: none">Read more</a>
                </p>
              </td>
            </tr>${footer}
          </table>
        </td>
      </tr>
    </table>
  </body>
</html>
`;
}
