import type { Look } from '../../../schemas/templates/block-types.ts';
import { STACKED_BELOW } from '../../../schemas/templates/blocks.ts';
import { layoutTable, row } from './kit/html.ts';
import { DARK, directionOf, onDark } from './kit/look.ts';

const EDGE = row('&nbsp;', 'font-size:1px;line-height:12px;height:12px');

/** The page around the rows of a mail. Its styles are for programs that read them; every row looks right without. */
export function page(rows: string, look: Required<Look>, colours: ReadonlySet<string>): string {
  const { width, background, paper, language } = look;
  const sheet = layoutTable(
    EDGE + rows + EDGE,
    `width:100%;max-width:${width}px;background:${paper}`,
    'class="ep-paper" width="100%" align="center"',
  );
  const ghost = `<!--[if mso]><table role="presentation" width="${width}" align="center" cellpadding="0" cellspacing="0"><tr><td><![endif]-->`;
  const inside = `${ghost}${sheet}<!--[if mso]></td></tr></table><![endif]-->`;
  const direction = directionOf(look);
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title></title>
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:${STACKED_BELOW - 1}px){.ep-column{display:block!important;max-width:100%!important}}
@media (prefers-color-scheme:dark){
${darkRules(look, colours)}
}
</style>
</head>
<body class="ep-page" style="margin:0;padding:0;background:${background}">
${layoutTable(row(inside, 'padding:16px 0'), `background:${background}`, 'class="ep-page" width="100%"')}
</body>
</html>`;
}

function darkRules({ accent }: Required<Look>, colours: ReadonlySet<string>): string {
  return [
    `.ep-page{background:${DARK.background}!important}`,
    `.ep-paper{background:${DARK.paper}!important}`,
    `.ep-words,.ep-quiet{color:${DARK.colour}!important}`,
    `.ep-link,.ep-name,.ep-name a,.ep-name span{color:${onDark(accent)}!important}`,
    `.ep-line{border-color:${DARK.line}!important}`,
    ...[...colours].map((colour) => `.ep-c${colour.slice(1)}{color:${onDark(colour)}!important}`),
  ].join('\n');
}
