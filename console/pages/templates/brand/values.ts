import type { Brand, PreviewBrandBody } from '../../../../client/index.ts';
import type { Parts } from '../../../parts/forms/overtaken.tsx';

/** As they are typed; colours by their names in a refusal. */
export interface Values {
  name: string;
  logoUrl: string;
  postalAddress: string;
  'colours/primary': string;
  'colours/text': string;
  'colours/paper': string;
  'colours/background': string;
  font: Brand['font'];
  families: string;
}

export const COLOURS = [
  { name: 'colours/primary', label: 'Main colour', hint: 'Of links and buttons, and of the pages that people see.' },
  { name: 'colours/text', label: 'Text', hint: 'Of words.' },
  { name: 'colours/paper', label: 'Paper', hint: 'Behind the words.' },
  { name: 'colours/background', label: 'Around the mail', hint: 'Around the paper.' },
] as const;

export const FONTS = [
  { value: 'sans', label: 'Without serifs' },
  { value: 'serif', label: 'With serifs' },
  { value: 'mono', label: 'Of one width' },
];

/** The parts of the form as the page calls them, for two versions next to each other. */
export const brandParts: Parts<Values> = {
  ...{ name: 'Name', logoUrl: 'Logo', postalAddress: 'Postal address', families: 'Fonts of your own' },
  ...(Object.fromEntries(COLOURS.map(({ name, label }) => [name, label])) as Record<
    (typeof COLOURS)[number]['name'],
    string
  >),
  font: { label: 'Letters', text: (font) => FONTS.find(({ value }) => value === font)?.label ?? font },
};

export function valuesOf({ name, logoUrl, postalAddress, colours, font, families }: Brand): Values {
  const { primary = '', text = '', paper = '', background = '' } = colours ?? {};
  return {
    ...{ name, logoUrl: logoUrl ?? '', postalAddress: postalAddress ?? '', font, families: families.join(', ') },
    ...{ 'colours/primary': primary, 'colours/text': text, 'colours/paper': paper, 'colours/background': background },
  };
}

/** Fields that were changed: the others may have a default, which stays one. */
export function changesOf(before: Values, after: Values): PreviewBrandBody {
  const is = (name: keyof Values) => after[name] !== before[name];
  const colours = COLOURS.filter(({ name }) => is(name)).map(({ name }) => [
    name.slice('colours/'.length),
    after[name],
  ]);
  return {
    ...(is('name') && { name: after.name.trim() || null }),
    ...(is('logoUrl') && { logoUrl: after.logoUrl.trim() || null }),
    ...(is('postalAddress') && { postalAddress: after.postalAddress.trim() || null }),
    ...(colours.length > 0 && { colours: Object.fromEntries(colours) }),
    ...(is('font') && { font: after.font }),
    ...(is('families') && { families: namesIn(after.families) }),
  };
}

function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}
