import type { Block } from '../../../../schemas/templates/block-types.ts';
import type { Kind } from '../kit/kind.ts';
import { fault, spansFaults, spansHtml, spansText } from '../kit/spans.ts';
import { htmlLiteral, textLiteral, wordsFault } from '../kit/variables.ts';

/** The last lines of a mail, with the link to unsubscribe. */
export const footer: Kind<'footer'> = {
  toHtml(block, place) {
    const { spans } = block;
    const { colour } = place.look;
    const own = spans ? `<p style="margin:0 0 8px">${spansHtml(spans, place, colour)}</p>` : '';
    const style = `display:inline-block;padding:12px 8px;line-height:20px;color:${colour};text-decoration:underline`;
    const links = linksOf(block).map(
      ({ words, variable }) => `<a href="{{${variable}}}" class="ep-quiet" style="${style}">${htmlLiteral(words)}</a>`,
    );
    return `<div style="font-size:13px;line-height:1.5;text-align:center">${own}<p style="margin:0">${links.join(' ')}</p></div>`;
  },
  toText(block) {
    const links = linksOf(block).map(({ words, variable }) => `${textLiteral(words)} ({{${variable}}})`);
    return ['--', ...(block.spans ? [spansText(block.spans)] : []), ...links].join('\n');
  },
  check({ spans = [], unsubscribe, preferences }) {
    return [
      ...spansFaults(spans, 'spans'),
      ...fault('unsubscribe', wordsFault(unsubscribe)),
      ...fault('preferences', wordsFault(preferences)),
    ];
  },
};

function linksOf({ unsubscribe, preferences }: Block<'footer'>) {
  return [
    { words: unsubscribe, variable: 'unsubscribe' },
    ...(preferences === undefined ? [] : [{ words: preferences, variable: 'preferencesUrl' }]),
  ];
}
