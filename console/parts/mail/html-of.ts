/** A mail as HTML that works in mail programs: one column, tables, no style sheet. */
export interface Written {
  heading: string;
  /** Paragraphs, in HTML. */
  text: readonly string[];
  button?: { label: string; href: string };
  isMarketing?: boolean;
}

const P = 'margin: 0 0 16px';
const BUTTON =
  'display: inline-block; padding: 12px 20px; background: #18181b; color: #ffffff; text-decoration: none; border-radius: 6px';

export function htmlOf({ heading, text, button, isMarketing = true }: Written): string {
  const paragraphs = text.map((one) => `                <p style="${P}">${one}</p>`);
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
${[...paragraphs, ...buttonOf(button)].join('\n')}
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

const FOOTER = `
            <tr>
              <td style="padding: 16px 24px; font: 12px/18px Arial, sans-serif; color: #6b6b72">
                You get this mail because you are on our list.
                <a href="{{unsubscribe}}" style="color: #6b6b72">Unsubscribe</a>
              </td>
            </tr>`;

function buttonOf(button: Written['button']): string[] {
  if (!button) return [];
  return [`                <p style="margin: 0"><a href="${button.href}" style="${BUTTON}">${button.label}</a></p>`];
}
