import type { Look } from '../../../schemas/templates/block-types.ts';
import { BRAND_COLOURS } from '../../../schemas/templates/blocks.ts';

/** The look of a project, which content names instead of having it: all of it has a default. */
export interface Brand {
  name: string;
  logoUrl: string | null;
  postalAddress: string | null;
  colours: Record<(typeof BRAND_COLOURS)[number], string>;
  font: NonNullable<Look['font']>;
  families: string[];
  links: Array<{ label: string; href: string }>;
  footer: { spans?: unknown[]; unsubscribe: string; preferences?: string };
}

/** Deeper content is refused. */
const DEPTH_MAX = 40;
type Fields = Readonly<Record<string, unknown>>;

/** The content with the brand in the place of its names. Faults stay for the check. */
export function branded(content: unknown, brand: Brand): { content: unknown; usesBrand: boolean } {
  const reader = new Reader(brand);
  const read = reader.read(content, '', 0);
  if (!isFields(read) || !isFields(read.look) || read.look.brand !== true)
    return { content: read, usesBrand: reader.usesBrand };
  const { brand: _, ...own } = read.look;
  return { content: { ...read, look: { ...lookOf(brand), ...own } }, usesBrand: true };
}

class Reader {
  usesBrand = false;
  readonly #brand: Brand;

  constructor(brand: Brand) {
    this.#brand = brand;
  }

  read(value: unknown, name: string, depth: number): unknown {
    if (depth > DEPTH_MAX) return value;
    if (Array.isArray(value)) return this.#list(value, name, depth);
    if (isFields(value)) return this.#fields(value, depth);
    return typeof value === 'string' && COLOURED.has(name) ? this.#colour(value) : value;
  }

  /** Profiles of a brand without any are no block. */
  #list(values: readonly unknown[], name: string, depth: number): unknown[] {
    const read = values.map((value) => this.read(value, name, depth + 1));
    return read.filter((value) => !(isFields(value) && value.type === 'social' && value.links === NO_LINKS));
  }

  #fields(given: Fields, depth: number): Fields {
    const read = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, this.read(value, name, depth + 1)]),
    );
    const words = WORDS[String(read.variable)];
    const ofBrand = read.brand === true ? PARTS[String(read.type)] : undefined;
    if (!words && !ofBrand) return read;
    this.usesBrand = true;
    const { variable, fallback: _, brand: __, ...rest } = read;
    if (words) return { text: words(this.#brand), ...rest };
    return { ...ofBrand!(this.#brand), ...rest, ...(variable === undefined ? {} : { variable }) };
  }

  #colour(value: string): string {
    const name = BRAND_COLOURS.find((one) => value === `brand.${one}`);
    if (!name) return value;
    this.usesBrand = true;
    return this.#brand.colours[name];
  }
}

const NO_LINKS: unknown[] = [];
const COLOURED = new Set(['colour', 'background', 'paper', 'accent']);
const WORDS: Readonly<Record<string, ((brand: Brand) => string) | undefined>> = {
  'brand.name': ({ name }) => name,
  'brand.address': addressOf,
};
const PARTS: Readonly<Record<string, ((brand: Brand) => Fields) | undefined>> = {
  header: ({ name, logoUrl }) => ({ name, ...(logoUrl && { src: logoUrl }) }),
  social: ({ links }) => ({ links: links.length > 0 ? links : NO_LINKS }),
  footer: (brand) => ({ spans: brand.footer.spans ?? senderOf(brand), ...wordsOf(brand.footer) }),
};

function wordsOf({ unsubscribe, preferences }: Brand['footer']) {
  return { unsubscribe, ...(preferences === undefined ? {} : { preferences }) };
}

function senderOf(brand: Brand): Fields[] {
  return [brand.name, addressOf(brand)]
    .filter(Boolean)
    .flatMap((text, index) => [...(index ? [{ break: true }] : []), { text }]);
}

function addressOf({ postalAddress }: Brand): string {
  return (postalAddress ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join(', ');
}

function lookOf({ colours: { primary, background, paper, text }, font, families }: Brand): Fields {
  return { background, paper, colour: text, accent: primary, font, ...(families.length > 0 && { families }) };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
