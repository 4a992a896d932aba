import type { Content, Look } from '../../../schemas/templates/block-types.ts';
import { Field, Select } from '../../parts/forms/field.tsx';
import { useBrand } from '../colours/brand.ts';
import { coloursOfLook } from '../colours/of-brand.ts';
import { setOfMail } from '../model/acts.ts';
import type { Surface } from '../surface/open.ts';
import { ColourField } from './colour.tsx';
import { type Texts, useLinkedFields } from './linked.ts';
import { readValue, type Spec } from './specs.ts';

/** Read on the paper. */
const READ = ['accent', 'colour'];
const WIDTHS = { min: 480, max: 720 };

const specs: readonly Spec[] = [
  {
    ...{ name: 'brand', label: 'Begins with', kind: 'choice', isOptional: true },
    options: [
      { value: 'true', label: 'The brand' },
      { value: '', label: 'Our look' },
    ],
    hint: 'Of everything that is empty below.',
  },
  { name: 'width', label: 'Width in pixels', kind: 'number', isOptional: true, ...WIDTHS },
  {
    ...{ name: 'font', label: 'Letters', kind: 'choice', isOptional: true },
    options: [
      { value: '', label: 'As it begins' },
      { value: 'sans', label: 'Without serifs' },
      { value: 'serif', label: 'With serifs' },
      { value: 'mono', label: 'Of one width' },
    ],
  },
  { name: 'accent', label: 'Links and buttons', kind: 'colour', isOptional: true },
  { name: 'colour', label: 'Text', kind: 'colour', isOptional: true },
  { name: 'paper', label: 'Paper', kind: 'colour', isOptional: true },
  { name: 'background', label: 'Around the paper', kind: 'colour', isOptional: true },
  {
    name: 'language',
    label: 'Language',
    kind: 'line',
    isOptional: true,
    hint: 'en, de, pt-BR: screen readers read by it.',
  },
];

/** Colours and letters of the whole mail. */
export function OfMail({
  surface,
  write,
  why,
}: {
  surface: Surface;
  write(tr: ReturnType<typeof setOfMail>, field: string): void;
  why: string | null;
}) {
  const props = surface.state.value.doc.attrs.props as Content;
  const look: Look & { brand?: true } = props.look ?? {};
  const colours = coloursOfLook(useBrand(), look);
  const values = look as Record<string, unknown>;
  const texts: Texts = Object.fromEntries(specs.map(({ name }) => [name, String(values[name] ?? '')]));
  const form = useLinkedFields(texts, {}, (name, text) => {
    const spec = specs.find((one) => one.name === name);
    if (!spec) return;
    try {
      const next: Record<string, unknown> = {
        ...look,
        [name]: name === 'brand' ? text === 'true' || undefined : readValue(spec, text),
      };
      if (next[name] === undefined) delete next[name];
      write(setOfMail(surface.state.peek(), 'props', { ...props, look: next }), name);
    } catch (error) {
      form.errors.value = { ...form.errors.peek(), [name]: (error as Error).message };
    }
  });
  return (
    <>
      {specs.map(({ name, label, kind, hint, options = [] }) => {
        const shared = { form, name, label, why, ...(hint && { hint }) };
        if (kind === 'colour')
          return (
            <ColourField key={name} {...shared} against={READ.includes(name) ? colours.paper : undefined} hint="" />
          );
        if (kind === 'choice') return <Select key={name} {...shared} options={[...options]} />;
        return <Field key={name} {...shared} isNarrow autocomplete="off" />;
      })}
    </>
  );
}
