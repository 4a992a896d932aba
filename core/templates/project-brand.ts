import { invalid } from '../base/errors.ts';
import type { Project } from '../base/model.ts';
import { CONTRAST_MIN, contrast } from '../base/text/colours.ts';
import type { Brand } from './blocks/brand.ts';
import { checkContent } from './blocks/check.ts';
import { LOOK } from './blocks/kit/look.ts';
import type { TemplatesDeps } from './deps.ts';

type Branded = Pick<Project, 'name' | 'publicName' | 'logoUrl' | 'color' | 'postalAddress' | 'brand'>;
type DbDeps = Pick<TemplatesDeps, 'db'>;

const projection = { name: 1, publicName: 1, logoUrl: 1, color: 1, postalAddress: 1, brand: 1 };

/** Without those that are left out everything has a default. */
export async function brandOf({ db }: DbDeps, { _id }: Pick<Project, '_id'>): Promise<Brand> {
  const project = await db.projects.findOne({ _id }, { projection });
  return completeBrand(project ?? { name: '' });
}

export function completeBrand({ name, publicName, logoUrl, color, postalAddress, brand = {} }: Branded): Brand {
  const { colours = {}, font = LOOK.font, families = [], links = [], footer } = brand;
  const { background, paper, colour: text, accent: primary } = LOOK;
  return {
    name: publicName ?? name,
    logoUrl: logoUrl ?? null,
    postalAddress: postalAddress ?? null,
    colours: { ...{ primary, background, paper, text }, ...colours, ...(color ? { primary: color } : {}) },
    ...{ font, families, links },
    footer: footer ?? { unsubscribe: 'Unsubscribe' },
  };
}

/** Throws 400 with the fields that could not be read on the paper, and with those that no block could have. */
export function checkBrand(brand: Brand): void {
  const { colours } = brand;
  const faults = (['text', 'primary'] as const).flatMap((name) => {
    const ratio = contrast(colours[name], colours.paper);
    const shown = (Math.floor(ratio * 100) / 100).toFixed(2);
    return ratio >= CONTRAST_MIN
      ? []
      : [`colours/${name}: has a contrast of ${shown} to colours/paper, and needs ${CONTRAST_MIN} to be read`];
  });
  if (faults.length > 0) throw invalid(`The brand cannot be read: ${faults.join('; ')}`, faults.join('; '));
  const parts = [
    { id: 'footer', type: 'footer', ...brand.footer },
    ...(brand.links.length > 0 ? [{ id: 'links', type: 'social', links: brand.links }] : []),
  ];
  checkContent({ v: 1, blocks: parts }, 'brand');
}
