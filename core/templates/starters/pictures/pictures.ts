import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Block } from '../../../../schemas/templates/block-types.ts';
import { starterIds } from '../../../../schemas/templates/starters.ts';
import { AppError } from '../../../base/errors.ts';
import { madeBy } from '../../../base/maker.ts';
import type { Project } from '../../../base/model.ts';
import type { TemplatesDeps } from '../../deps.ts';
import { storePicture } from '../../media/media.ts';
import { readPicture } from '../../media/pictures.ts';

/** Pictures of mails to begin with. Each is drawn from the file of its name by `npm run starter-pictures`. */
export const drawn = ['newsletter', 'announcement', 'welcome', 'sale', 'event', 'win-back'] as const;
type Drawn = (typeof drawn)[number];

/** Stands for this installation where a starter is written. */
const HERE = 'https://here.invalid';
const PLACE = '/media/starter-';

export function picture(name: Drawn, alt: string): Block {
  return { id: 'picture', type: 'image', src: `${HERE}${PLACE}${name}.png`, alt };
}

export function placedAt<T>(blocks: T, publicUrl: string): T {
  return replaced(blocks, `${HERE}${PLACE}`, `${publicUrl}${PLACE}`);
}

/** A picture in such a mail, or of one of them. null: it is none of these. */
export function drawnPicture(file: string): Buffer | null {
  const path = paths.get(file);
  if (path === undefined) return null;
  const bytes = known.get(path) ?? readFileSync(join(import.meta.dirname, path));
  known.set(path, bytes);
  return bytes;
}

const paths = new Map<string, string>([
  ...drawn.map((name) => [`starter-${name}.png`, `${name}.png`] as const),
  ...[...starterIds, 'greeting'].map((id) => [`starter-mail-${id}.jpg`, `mails/${id}.jpg`] as const),
]);

/** Read once: they are served to readers of mail. */
const known = new Map<string, Buffer>();

/** Content whose mail shows such pictures, with pictures of the project in their place. A project without room keeps the addresses. */
export async function withOwnPictures<T>(deps: TemplatesDeps, project: Pick<Project, '_id'>, content: T, html: string) {
  const { publicUrl } = deps.config;
  let own = content;
  for (const name of drawn) {
    const address = `${publicUrl}${PLACE}${name}.png`;
    if (html.includes(address)) own = replaced(own, address, (await ownAddress(deps, project, name)) ?? address);
  }
  return own;
}

async function ownAddress(deps: TemplatesDeps, { _id }: Pick<Project, '_id'>, name: Drawn): Promise<string | null> {
  const bytes = drawnPicture(`starter-${name}.png`)!;
  const given = { bytes, picture: readPicture(bytes)!, source: 'api' as const, ...madeBy({}) };
  try {
    const { media } = await storePicture(deps, _id, given);
    return `${deps.config.publicUrl}/media/${media.name}`;
  } catch (error) {
    if (error instanceof AppError && error.code === 'MEDIA_FULL') return null;
    throw error;
  }
}

function replaced<T>(value: T, address: string, by: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll(address, by));
}
