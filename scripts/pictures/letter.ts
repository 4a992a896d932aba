const books = [
  ['The Lighthouse Keeper', 'Ilse Aalto', 'A winter on a rock in the Baltic, told by the one who stayed.'],
  ['Bread for the Crossing', 'Pedro Salgado', 'Sixty recipes from ships that no longer sail.'],
  ['A Map of Small Islands', 'Ruth Haugen', 'Where nobody goes, and why you might.'],
];

/** The letter of a bookshop, as its owner would write it. */
export const letter = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
  </head>
  <body style="margin: 0; background: #f2efe9">
    <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
      <tr>
        <td align="center" style="padding: 24px 8px">
          <table role="presentation" width="100%" style="max-width: 600px; background: #ffffff">
            <tr>
              <td style="padding: 24px; background: #17324d; color: #ffffff; font: 700 22px/28px Georgia, serif">
                Harbour Books
              </td>
            </tr>
            <tr>
              <td style="padding: 24px; font: 16px/25px Georgia, serif; color: #1c1c1f">
                <p style="margin: 0 0 16px">{{#if firstName}}Dear {{firstName}}{{else}}Dear reader{{/if}},</p>
                <p style="margin: 0 0 16px">the ferries run half empty now, and the shop is warm. Three books for long evenings:</p>
${books
  .map(
    ([title, author, text], index) => `                <h2 style="margin: 0 0 4px; font-size: 18px">${title}</h2>
                <p style="margin: 0 0 16px">${author}. ${text}
                  <a href="https://harbour.example/books/${index + 1}" style="color: #17324d">Read the first page</a></p>`,
  )
  .join('\n')}
                <p style="margin: 0">Yours, Marta</p>
              </td>
            </tr>
            <tr>
              <td style="padding: 16px 24px; font: 12px/18px Arial, sans-serif; color: #6b6b72">
                You get this because you asked for our letters. <a href="{{unsubscribe}}" style="color: #6b6b72">Unsubscribe</a>
              </td>
            </tr>
          </table>
        </td>
      </tr>
    </table>
  </body>
</html>
`;

export const links = books.map((_, index) => `https://harbour.example/books/${index + 1}`);
