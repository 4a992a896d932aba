import type { Align, Block, Look, Span } from '../../../schemas/templates/block-types.ts';
import { type StarterLanguage, starterLanguages } from '../../../schemas/templates/starters.ts';

/** A mail to begin with, in each language. */
export interface Starter {
  id: string;
  name: string;
  description: string;
  templateType: 'marketing' | 'transactional';
  written: Record<StarterLanguage, { subject: string; previewText: string; look: Look; blocks: Block[] }>;
}

interface Envelope {
  subject: string;
  previewText: string;
}

interface Plan<Words extends Envelope> extends Pick<Starter, 'id' | 'name' | 'description' | 'templateType'> {
  look: Look;
  words: Record<StarterLanguage, Words>;
  blocks(words: Words, common: Common): Block[];
}

interface Common {
  company: string;
  address: string;
  why: string;
  unsubscribe: string;
  preferences: string;
}

const common: Record<StarterLanguage, Common> = {
  en: {
    company: 'Your company',
    address: 'Your company, 1 Market Street, Your town',
    why: 'You get this mail because you joined our list.',
    unsubscribe: 'Unsubscribe',
    preferences: 'Choose what you get',
  },
  de: {
    company: 'Ihre Firma',
    address: 'Ihre Firma, Marktstraße 1, Ihr Ort',
    why: 'Sie erhalten diese Mail, weil Sie sich bei uns eingetragen haben.',
    unsubscribe: 'Abmelden',
    preferences: 'Auswählen, was Sie erhalten',
  },
  fr: {
    company: 'Votre entreprise',
    address: 'Votre entreprise, 1 rue du Marché, Votre ville',
    why: 'Vous recevez cet e-mail parce que vous êtes inscrit à notre liste.',
    unsubscribe: 'Se désabonner',
    preferences: 'Choisir ce que vous recevez',
  },
};

export function starter<Words extends Envelope>({ look, words, blocks, ...about }: Plan<Words>): Starter {
  const written = starterLanguages.map((language) => {
    const { subject, previewText } = words[language];
    const content = { look: { ...look, language }, blocks: blocks(words[language], common[language]) };
    return [language, { subject: source(subject), previewText: source(previewText), ...content }];
  });
  return { ...about, written: Object.fromEntries(written) as Starter['written'] };
}

/** {firstName} and {firstName|there}: a variable, and one with a fallback. */
const VARIABLE = /\{([\w.@]+)(?:\|([^{}]*))?\}/g;

export function spans(words: string, looks: Omit<Span, 'text' | 'variable' | 'fallback'> = {}): Span[] {
  const found: Span[] = [];
  let from = 0;
  for (const { 0: whole, 1: variable = '', 2: fallback, index } of words.matchAll(VARIABLE)) {
    if (index > from) found.push({ text: words.slice(from, index), ...looks });
    found.push({ variable, ...(fallback === undefined ? {} : { fallback }), ...looks });
    from = index + whole.length;
  }
  return from < words.length ? [...found, { text: words.slice(from), ...looks }] : found;
}

/** The same in the template language, of subjects. */
function source(words: string): string {
  return words.replace(VARIABLE, (_, name, fallback) =>
    fallback === undefined ? `{{${name}}}` : `{{${name} default="${fallback}"}}`,
  );
}

export function text(id: string, ...paragraphs: string[]): Block {
  return { id, type: 'text', nodes: paragraphs.map((words) => ({ type: 'paragraph', spans: spans(words) })) };
}

export function small(id: string, words: string, align: Align = 'left'): Block {
  return { id, type: 'text', nodes: [{ type: 'paragraph', spans: spans(words, { italic: true }), align }] };
}

export function list(id: string, items: string[], ordered = false): Block {
  return {
    id,
    type: 'text',
    nodes: [{ type: 'list', items: items.map((words) => spans(words)), ...(ordered && { ordered }) }],
  };
}

export function heading(id: string, level: 1 | 2 | 3, words: string, align?: Align): Block {
  return { id, type: 'heading', level, spans: spans(words), ...(align && { align }) };
}

export function button(id: string, words: string, href: string, align?: Align): Block {
  return { id, type: 'button', spans: spans(words), href, ...(align && { align }) };
}

/** Two equal columns, each with a title and a line of words. */
export function twoColumns(
  id: string,
  words: Readonly<Record<'left' | 'right', readonly string[]>>,
  blocksOf: (side: string, title: string, line: string) => Block[],
): Block {
  const columns = (['left', 'right'] as const).map((side) => {
    const [title = '', line = ''] = words[side];
    return { share: 1, blocks: blocksOf(side, title, line) };
  });
  return { id, type: 'columns', columns };
}

export function header({ company }: Common, align?: Align): Block {
  return { id: 'header', type: 'header', name: company, href: SITE, ...(align && { align }) };
}

/** Of marketing mail. */
export function footer({ address, why, unsubscribe, preferences }: Common): Block {
  return {
    id: 'footer',
    type: 'footer',
    spans: [...spans(why), { break: true }, ...spans(address)],
    unsubscribe,
    preferences,
  };
}

/** Of mail about something that the person did: there is nothing to unsubscribe from. */
export function sender({ address }: Common): Block[] {
  return [
    { id: 'line', type: 'divider' },
    { id: 'sender', type: 'text', nodes: [{ type: 'paragraph', spans: spans(address), align: 'center' }] },
  ];
}

export const SITE = 'https://example.com/';
