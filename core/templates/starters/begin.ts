import type { StarterId, StarterLanguage } from '../../../schemas/templates/starters.ts';
import { invalid } from '../../base/errors.ts';
import type { TranslatedText, Translation } from '../model.ts';
import { markOf } from '../translated/compile.ts';
import { partsOf } from '../translated/parts.ts';
import { startersIn, type WrittenStarter } from './starters.ts';

type Begun = Pick<WrittenStarter, 'subject' | 'previewText' | 'templateType' | 'content'> & {
  translations: Translation[];
};

/** A mail to begin with as a template: written in the first of the languages, and translated into the others. */
export function begunFrom(
  id: StarterId,
  [base = 'en', ...others]: readonly StarterLanguage[] = ['en'],
  publicUrl: string,
): Begun {
  const starterIn = (language: StarterLanguage) => startersIn(language, publicUrl).find((one) => one.id === id)!;
  const { subject, previewText, templateType, content } = starterIn(base);
  return {
    ...{ subject, previewText, templateType, content },
    translations: others.toSorted().map((language) => translated(starterIn(base), starterIn(language), language)),
  };
}

/** Fields that only a starter brings. Throws 400 where the call writes the mail too. */
export function refuseBesideStarter(given: Readonly<Record<string, unknown>>): void {
  const named = ['content', 'emailTemplate', 'editorJson', 'builderType'].filter((name) => given[name] !== undefined);
  const faults = named.map((name) => `${name}: must be left out beside starter, which brings the mail`);
  if (faults.length > 0) throw invalid(`The request is not valid: ${faults.join('; ')}`, faults.join('; '));
}

/** A text that both have, such as a code, is translated by itself; an address is that of the base. */
function translated(base: WrittenStarter, other: WrittenStarter, language: StarterLanguage): Translation {
  const bases = new Map(textsOf(base).map(({ name, text }) => [name, text]));
  const texts = textsOf(other).flatMap(({ name, text, isOptional }): TranslatedText[] => {
    const of = bases.get(name);
    return of === undefined || (of === text && isOptional) ? [] : [{ name, text, of: markOf(of) }];
  });
  return { language, texts: texts.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

function textsOf({ subject, previewText, content }: WrittenStarter) {
  const ofBlocks = partsOf(content.blocks).map(({ blockId, field, base, isOptional }) => {
    return { name: `${blockId}/${field}`, text: base, isOptional };
  });
  const line = { isOptional: false };
  return [
    { name: 'subject', text: subject, ...line },
    { name: 'previewText', text: previewText, ...line },
    ...ofBlocks,
  ];
}
