import type { Brand } from '../blocks/brand.ts';
import type { TemplateContent, Translation } from '../model.ts';
import { isOfBlocks, markOf, partsIn } from './compile.ts';
import type { Part } from './parts.ts';

/** A text of the base, under the name that its translations have. */
export interface BaseText extends Pick<Part, 'isOptional'> {
  name: string;
  base: string;
}

/** Everything that can be translated, in the order of the mail. */
export function baseTexts(content: TemplateContent, brand: Brand): BaseText[] {
  const { subject, previewText, emailTemplate, writtenCode } = content;
  const parts = partsIn(content, brand).map(({ blockId, field, base, isOptional }) => {
    return { name: `${blockId}/${field}`, base, isOptional };
  });
  return [
    { name: 'subject', base: subject, isOptional: subject === '' },
    { name: 'previewText', base: previewText, isOptional: previewText === '' },
    ...(isOfBlocks(content) ? parts : []),
    { name: 'emailTemplate', base: writtenCode ?? emailTemplate, isOptional: isOfBlocks(content) },
  ];
}

export interface Gaps {
  /** Texts of the base that the translation does not have: the mail has them as they are in the base. */
  missing: string[];
  /** Texts whose base was changed since. */
  outdated: string[];
}

export function gapsOf(texts: readonly BaseText[], { texts: given }: Translation): Gaps {
  const known = new Map(given.map((one) => [one.name, one]));
  const isWhole = known.has('emailTemplate');
  // Code of its own takes the place of all blocks.
  const relevant = texts.filter(({ name }) => !isWhole || !name.includes('/'));
  return {
    missing: relevant.filter(({ name, isOptional }) => !isOptional && !known.has(name)).map(({ name }) => name),
    outdated: relevant
      .filter(({ name, base }) => known.has(name) && known.get(name)!.of !== markOf(base))
      .map(({ name }) => name),
  };
}
