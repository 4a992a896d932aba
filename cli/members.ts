import type { ObjectId } from 'mongodb';
import { addMember, removeMember } from '../core/accounts/members.ts';
import type { Member } from '../core/accounts/model.ts';
import { listOrganizations } from '../core/accounts/organizations.ts';
import { createLink } from '../core/accounts/sign-in/links.ts';
import type { Deps } from '../core/base/deps.ts';
import { requireEmail } from '../core/base/text/addresses.ts';
import { ROLES, type Role } from '../schemas/operations.ts';
import { CommandError } from './error.ts';

/** The members of an organization. It needs its first owner before anybody can add others there. */
export const memberCommands = {
  'members list': {
    usage: '',
    does: 'lists the members of all organizations with their roles',
    async run(deps: Deps) {
      for await (const member of deps.db.members.find().sort({ organizationId: 1, _id: 1 })) show(member);
    },
  },
  'members add': {
    usage: '<email> --role <role> [--organization <organizationId>]',
    does: `adds a member with the role ${ROLES.toReversed().join(', ')}; the organization is named when there are several`,
    async run(deps: Deps, args: string[]) {
      const [email, options] = read(args, ['role', 'organization']);
      const role = ROLES.find((one) => one === options.role) as Role | undefined;
      if (!role) throw new CommandError(`Give the role: --role ${ROLES.toReversed().join(', ')}.`);
      show(await addMember(deps, await organizationOf(deps, options.organization), { email, role }));
    },
  },
  'members remove': {
    usage: '<email> [--organization <organizationId>]',
    does: 'removes a member, who is signed out within five seconds',
    async run(deps: Deps, args: string[]) {
      const [email, options] = read(args, ['organization']);
      const organizationId = await organizationOf(deps, options.organization);
      const member = await deps.db.members.findOne({ organizationId, email: requireEmail(email) });
      if (!member) throw new CommandError('There is no such member; npm run admin -- members list shows them.');
      await removeMember(deps, organizationId, member._id.toHexString());
      console.log(JSON.stringify({ removed: email }));
    },
  },
  'members link': {
    usage: '<email>',
    does: 'prints a link that signs the member in once, within 15 minutes',
    async run(deps: Deps, [given]: string[]) {
      const email = requireEmail(given);
      const member = await deps.db.members.findOne({ email });
      if (!member) throw new CommandError('There is no such member; npm run admin -- members list shows them.');
      console.log(await createLink(deps, email));
    },
  },
};

type Options = Record<string, string | undefined>;

/** The address, and the options behind it. */
function read([email, ...rest]: string[], known: string[]): [string, Options] {
  if (!email) throw new CommandError('Give the address of the member.');
  const options: Options = {};
  for (let index = 0; index < rest.length; index += 2) {
    const name = known.find((one) => rest[index] === `--${one}`);
    if (!name) throw new CommandError(`Unknown: ${rest[index]}; this command takes --${known.join(' and --')}.`);
    options[name] = rest[index + 1];
  }
  return [email, options];
}

async function organizationOf(deps: Deps, named: string | undefined): Promise<ObjectId> {
  const all = await listOrganizations(deps);
  const found = named === undefined ? all : all.filter(({ _id }) => _id.toHexString() === named);
  const [organization] = found;
  if (organization && found.length === 1) return organization._id;
  throw new CommandError(
    all.length === 0
      ? 'There is no organization yet; npm run admin -- organizations create <name>'
      : 'Name the organization with --organization; npm run admin -- organizations list shows their ids.',
  );
}

function show({ _id, organizationId, email, role, createdAt }: Member): void {
  console.log(JSON.stringify({ memberId: _id, organizationId, email, role, createdAt }));
}
