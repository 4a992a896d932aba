import { beginning } from '../../acts.ts';
import { api } from '../../api.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Section } from '../../parts/page/page.tsx';
import { to } from '../../router.ts';
import { can } from '../../session.ts';

export interface Step {
  /** It is shown to those whose role may call this. */
  operation: string;
  icon: IconName;
  title: string;
  text: string;
  isDone: boolean;
  act: string;
  href: string;
}

const OPERATIONS = ['domains.create', 'contacts.import', 'templates.create', 'campaigns.create'];
const EVERYBODY = 'GLOBAL_CONTACT_LIST';

/** None when a campaign was sent, which needs what the other steps make, nor for those who may do none of them. */
export async function loadFirstSteps(signal: AbortSignal): Promise<readonly Step[]> {
  if (!OPERATIONS.some(can)) return [];
  const options = { signal };
  const { campaigns: sent } = await api.campaigns.list({ status: 'sent', limit: 1 }, options);
  if (sent.length > 0) return [];
  const [{ domains }, everybody, { templates }] = await Promise.all([
    api.domains.list({ limit: 100 }, options),
    api.contactLists.get(EVERYBODY, options),
    api.templates.list({ limit: 1 }, options),
  ]);
  const steps: readonly Step[] = [
    {
      ...{ operation: 'domains.create', icon: 'domain', title: 'A verified domain' },
      text: 'Mail leaves from a domain that you own, once its DNS records are found.',
      isDone: domains.some(({ verificationStatus }) => verificationStatus === 'VERIFIED'),
      ...(domains.length > 0
        ? { act: 'See the records', href: to('/domains') }
        : { act: 'Add a domain', href: beginning('domains.create') }),
    },
    {
      ...{ operation: 'contacts.import', icon: 'contacts', title: 'People', isDone: everybody.contactCount > 0 },
      ...{ text: 'A file of addresses, with names and whatever else you know of them.' },
      ...{ act: 'Import a file', href: beginning('contacts.import') },
    },
    {
      ...{ operation: 'templates.create', icon: 'template', title: 'A template', isDone: templates.length > 0 },
      ...{ text: 'The text and the look of a mail.' },
      ...{ act: 'New template', href: beginning('templates.create') },
    },
    {
      ...{ operation: 'campaigns.create', icon: 'campaign', title: 'A first campaign', isDone: false },
      ...{ text: 'Choose who gets the template, and when. It is ticked when it was sent.' },
      ...{ act: 'New campaign', href: beginning('campaigns.create') },
    },
  ];
  return steps.filter(({ operation }) => can(operation));
}

/** From an empty project to a campaign that was sent, ticked by what the server has. */
export function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Section title="First steps" note={`${done} of ${steps.length} done`}>
      <ol class="notices">
        {steps.map(({ title, text, icon, isDone, act, href }) => (
          <li key={title}>
            <span class={isDone ? 't-good' : 'dim'}>
              <Icon name={isDone ? 'check' : icon} />
            </span>
            <div>
              <p class="strong">{title}</p>
              <p class="sub small">{text}</p>
            </div>
            {isDone ? (
              <span class="dim small">Done</span>
            ) : (
              <Button isSmall href={href}>
                {act}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}
