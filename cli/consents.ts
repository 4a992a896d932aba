import { presentConsent } from '../api/present/consent.ts';
import type { Deps } from '../core/base/deps.ts';
import { parseId } from '../core/base/ids.ts';
import { requireEmail } from '../core/base/text/addresses.ts';
import { consentsOfErased, listConsents } from '../core/consent/consents/consents.ts';
import { CommandError } from './error.ts';

const PAGE = 100;

/** The proof for a person who says that they never agreed, also when their contact was deleted. */
export const consentCommands = {
  consents: {
    usage: '<email> --project <projectId>',
    does: 'prints what a person agreed to: the consents of the contact with this address, and the kept ones of contacts that were deleted',
    async run(deps: Deps, [given, option, named]: string[]) {
      if (option !== '--project')
        throw new CommandError('Give address and project: npm run admin -- consents ada@example.org --project <id>');
      const email = requireEmail(given);
      const _id = parseId(named);
      const project = _id && (await deps.db.projects.findOne({ _id }));
      if (!project)
        throw new CommandError('There is no such project; npm run admin -- organizations list shows their ids.');
      const projectId = project._id;
      const contact = await deps.db.contacts.findOne(
        { projectId, email },
        { hint: 'email', projection: { projectId: 1 } },
      );
      for (let page = 1; contact; page += 1) {
        const { entries, pagination } = await listConsents(deps, contact, { page, limit: PAGE });
        for (const consent of entries) console.log(JSON.stringify(presentConsent(consent)));
        if (page >= pagination.pages) break;
      }
      for (const consent of await consentsOfErased(deps, projectId, email))
        console.log(JSON.stringify({ ...presentConsent(consent), erasedAt: consent.erasedAt }));
    },
  },
};
