import type { BlockType } from '../../../schemas/templates/block-types.ts';

/** The fields of a block, in plain words. */
export interface Spec {
  name: string;
  label: string;
  kind: 'line' | 'area' | 'number' | 'choice' | 'colour' | 'picture' | 'snippet';
  hint?: string;
  /** Left out when its field is empty. */
  isOptional?: true;
  min?: number;
  max?: number;
  options?: ReadonlyArray<{ value: string; label: string }>;
}

const ADDRESS = 'https://, mailto:, tel: or sms:';

const align: Spec = {
  ...{ name: 'align', label: 'Where', kind: 'choice', isOptional: true },
  options: [
    { value: '', label: 'Left' },
    { value: 'center', label: 'Middle' },
    { value: 'right', label: 'Right' },
  ],
};
const href: Spec = { name: 'href', label: 'Leads to', kind: 'line', hint: ADDRESS };
const src: Spec = { name: 'src', label: 'Picture', kind: 'picture' };
const width: Spec = { name: 'width', label: 'Width in pixels', kind: 'number', min: 16, max: 720, isOptional: true };
const alt: Spec = {
  ...{ name: 'alt', label: 'Description', kind: 'line' },
  hint: 'For people who do not see it. Empty for decoration alone.',
};

export const specs: Record<BlockType, readonly Spec[]> = {
  text: [],
  heading: [
    {
      ...{ name: 'level', label: 'Size', kind: 'choice' },
      options: [
        { value: '1', label: 'Large' },
        { value: '2', label: 'Medium' },
        { value: '3', label: 'Small' },
      ],
    },
    align,
  ],
  image: [src, alt, { ...href, isOptional: true }, width, align],
  button: [
    href,
    align,
    { name: 'background', label: 'Colour of the button', kind: 'colour', isOptional: true },
    { name: 'colour', label: 'Colour of its words', kind: 'colour', isOptional: true },
  ],
  columns: [],
  divider: [
    { name: 'colour', label: 'Colour', kind: 'colour', isOptional: true },
    { name: 'thickness', label: 'Thickness in pixels', kind: 'number', min: 1, max: 8, isOptional: true },
  ],
  space: [{ name: 'height', label: 'Height in pixels', kind: 'number', min: 4, max: 160 }],
  social: [align],
  menu: [align],
  quote: [{ name: 'by', label: 'Said by', kind: 'line', isOptional: true }],
  table: [],
  video: [
    href,
    src,
    { ...alt, hint: 'For people who do not see it.' },
    { name: 'label', label: 'Words below', kind: 'line', isOptional: true },
    width,
  ],
  signature: [{ name: 'name', label: 'Name', kind: 'line' }, { ...src, label: 'Portrait', isOptional: true }, alt],
  header: [
    { name: 'name', label: 'Name', kind: 'line', hint: 'Of the logo, in words.' },
    { ...src, label: 'Logo', isOptional: true },
    { ...href, isOptional: true },
    width,
    align,
  ],
  footer: [
    { name: 'unsubscribe', label: 'Words of the link to unsubscribe', kind: 'line' },
    { name: 'preferences', label: 'Words of the link to preferences', kind: 'line', isOptional: true },
  ],
  html: [
    { name: 'html', label: 'HTML', kind: 'area', hint: 'Every element closed, no scripts; {{variables}} as in code.' },
  ],
  snippet: [{ name: 'name', label: 'Snippet', kind: 'snippet' }],
  content: [],
  when: [],
  each: [{ name: 'list', label: 'List', kind: 'line', hint: 'The name of a variable that is a list: order.items' }],
};

/** undefined leaves the field out. Throws with what is wrong with the text, in words. */
export function readValue(
  { kind, isOptional, min = 0, max = 0, name }: Spec,
  text: string,
): string | number | undefined {
  if (text === '' && isOptional) return undefined;
  if (kind === 'number') {
    const number = Number(text);
    if (!Number.isInteger(number) || text.trim() === '' || number < min || number > max)
      throw new RangeError(`A whole number from ${min} to ${max}.`);
    return number;
  }
  if (kind === 'colour' && !/^(#[0-9a-f]{6}|brand\.[a-z]+)$/i.test(text))
    throw new RangeError('A colour such as #1a5fb4.');
  return name === 'level' ? Number(text) : text;
}
