import type { Described } from '../../../schemas/schema.ts';
import type { previewBrandBody, updateBrandBody } from '../../../schemas/templates/brand.ts';
import { nextUpdate, refuseUnseen } from '../../base/database/seen.ts';
import { inTransaction } from '../../base/database/transactions.ts';
import { notFound } from '../../base/errors.ts';
import type { By } from '../../base/maker.ts';
import type { Project, ProjectBrand } from '../../base/model.ts';
import { changeProject, updatedAtOf } from '../../base/projects.ts';
import type { Brand } from '../../templates/blocks/brand.ts';
import { type Republished, republishNow } from '../../templates/parts/republish.ts';
import { type TouchedTemplates, touchedByBrand } from '../../templates/parts/touched.ts';
import { checkBrand, completeBrand } from '../../templates/project-brand.ts';
import { KEYS_CHANGED } from '../api-keys.ts';
import type { AccountsDeps } from '../deps.ts';
import { readPublicFields } from '../public-fields.ts';

type BrandInput = Described<typeof previewBrandBody>;
type Shown = Pick<Project, 'publicName' | 'logoUrl' | 'color' | 'postalAddress' | 'brand'>;

type ShownBrand = Brand & { updatedAt: Date };

export async function getBrand({ db }: Pick<AccountsDeps, 'db'>, { _id }: Pick<Project, '_id'>): Promise<ShownBrand> {
  const project = await db.projects.findOne({ _id, deletedAt: null });
  if (!project) throw notFound('PROJECT');
  return shownBrand(project);
}

/** Fields that are left out stay; null is the default again. Templates are published after the commit, each in a transaction of its own. */
export async function updateBrand(
  deps: AccountsDeps,
  project: Project,
  { templateIds = [], updatedAt: seen, ...input }: Described<typeof updateBrandBody>,
  by: By,
): Promise<ShownBrand & Republished> {
  const changed = await inTransaction(deps, async (session) => {
    const found = await deps.db.projects.findOne({ _id: project._id, deletedAt: null }, { session });
    if (!found) throw notFound('PROJECT');
    const before = { updatedAt: updatedAtOf(found) };
    refuseUnseen('brand', before, seen);
    const { set, unset } = await changedBrand(deps, found, input);
    return changeProject(
      deps,
      found,
      { set: { ...set, updatedAt: nextUpdate(before, deps.clock.now()) }, unset },
      session,
    );
  });
  if (!changed) throw notFound('PROJECT');
  deps.signals.publish(KEYS_CHANGED, '');
  return { ...shownBrand(changed), ...(await republishNow(deps, project, templateIds, by)) };
}

function shownBrand(project: Project): ShownBrand {
  return { ...completeBrand(project), updatedAt: updatedAtOf(project) };
}

/** The templates that the brand would change with these fields, if they were published again. */
export async function previewBrand(
  deps: AccountsDeps,
  { _id }: Pick<Project, '_id'>,
  input: BrandInput,
): Promise<TouchedTemplates> {
  const project = await deps.db.projects.findOne({ _id, deletedAt: null });
  if (!project) throw notFound('PROJECT');
  return touchedByBrand(deps, project, (await changedBrand(deps, project, input)).brand);
}

/** Name, logo, address and primary colour are those of public pages as well. */
async function changedBrand(deps: AccountsDeps, project: Project, input: BrandInput) {
  const { name: publicName, logoUrl, postalAddress, colours, ...rest } = input;
  const { primary, ...others } = colours ?? {};
  const color = colours === null ? null : primary;
  const shown = await readPublicFields(deps, project, { publicName, logoUrl, postalAddress, color });
  const { colours: before, ...kept } = project.brand ?? {};
  const brand = withoutNull({
    ...{ ...kept, ...givenOf(rest) },
    colours: colours === null ? null : { ...before, ...inSmallLetters(givenOf(others)) },
  });
  const after: Shown = { ...without(project, Object.keys(shown.unset)), ...shown.set, brand };
  const whole = completeBrand({ ...after, name: project.name });
  checkBrand(whole);
  return { set: { ...shown.set, brand }, unset: shown.unset, brand: whole };
}

function givenOf(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function withoutNull(fields: Record<string, unknown>): ProjectBrand {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function without(project: Project, names: readonly string[]): Shown {
  const { publicName, logoUrl, color, postalAddress } = project;
  const shown = Object.entries({ publicName, logoUrl, color, postalAddress });
  return Object.fromEntries(shown.filter(([name, value]) => value !== undefined && !names.includes(name)));
}

function inSmallLetters(colours: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(colours).map(([name, colour]) => [name, String(colour).toLowerCase()]));
}
