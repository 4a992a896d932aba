import { AppError } from '../../base/errors.ts';
import type { By } from '../../base/maker.ts';
import type { Project, Session } from '../../base/model.ts';
import { assembled, sourceOf } from '../assemble/assemble.ts';
import { KEYS_OF } from '../assemble/keys.ts';
import { partsOfAll } from '../assemble/uses.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { Template } from '../model.ts';
import { changeWritten } from '../templates.ts';
import { translationsNow } from '../translated/store.ts';
import { numbersOf } from '../versions.ts';

/** Of saves at the same time, each of which has the mail put together again. */
const TRIES_MAX = 3;

export type Outcome = { kind: 'published' | 'unchanged' } | { kind: 'failed'; message: string };

/**
 * Publishes the content of a template as a new version, with its parts and the brand as they are now. `store` says how: in its
 * transaction, or with the work of the caller. A fault of the template is an outcome, and holds up no other.
 */
export async function publishAgain(
  deps: TemplatesDeps,
  { _id: projectId }: Pick<Project, '_id'>,
  templateId: string,
  store: (publish: (session?: Session) => Promise<Outcome>) => Promise<Outcome>,
  by: By,
): Promise<Outcome> {
  for (let tries = 1; ; tries += 1) {
    const template = await deps.db.templates.findOne({
      projectId,
      $and: [{ templateId }, { templateId: KEYS_OF.template }],
    });
    if (!template || !namesAny(template))
      return { kind: 'failed', message: 'It is no published template with a layout, a snippet or the brand.' };
    try {
      const made = await assembled(deps, { _id: projectId }, sourceOf(template));
      const translations = await translationsNow(deps, { _id: projectId }, template);
      const input = { ...made, translations, newestVersion: template.newestVersion };
      return await store(async (session) => {
        const after = await changeWritten(deps, { _id: projectId }, templateId, input, { ...by, session });
        const isSame = numbersOf(after.template).published === numbersOf(template).published;
        return { kind: isSame ? 'unchanged' : 'published' };
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === 'unavailable') throw error;
      if (error.kind !== 'conflict' || tries >= TRIES_MAX) return { kind: 'failed', message: error.message };
    }
  }
}

function namesAny(template: Template): boolean {
  return numbersOf(template).published > 0 && (template.usesBrand === true || partsOfAll(template).length > 0);
}
