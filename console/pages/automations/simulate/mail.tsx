import type { Signal } from '@preact/signals';
import type { Automation } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { Button } from '../../../parts/forms/button.tsx';
import { MailFrame } from '../../../parts/mail/mail-preview.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import type { Simulated } from './moments.ts';

/** A mail of the way, opened one at a time. */
export function SimulatedMail({
  automation,
  simulated,
  isDraft,
  name,
  number,
}: {
  automation: Automation;
  simulated: Signal<Simulated | null>;
  isDraft: boolean;
  name: string;
  number: number;
}) {
  const now = simulated.value;
  if (!now) return null;
  const isOpen = now.opened === number;
  return (
    <>
      <div>
        <Button
          isSmall
          icon="email"
          isPressed={isOpen}
          onClick={() => {
            simulated.value = { ...now, opened: isOpen ? null : number };
          }}
        >
          Look at it<span class="sr">: {name}</span>
        </Button>
      </div>
      {isOpen && <Opened {...{ automation, isDraft, number }} asked={now.asked} />}
    </>
  );
}

/** As the person sees it, with the data that they have then. */
function Opened({
  automation: { id },
  isDraft,
  number,
  asked,
}: {
  automation: Automation;
  isDraft: boolean;
  number: number;
  asked: Simulated['asked'];
}) {
  const rendered = useQuery(
    async (signal) => {
      const body = { ...asked, preview: number, ...(isDraft && { version: 'draft' as const }) };
      return (await api.automations.simulate(id, body, { signal })).preview;
    },
    [asked, number],
  );
  return (
    <Loaded query={rendered} skeleton={<div class="mail-waiting" />}>
      {(mail) => (
        <div class="one-mail">
          <MailFrame
            mail={mail}
            caption={mail ? `Subject: ${mail.subject}` : ''}
            title="The mail as the person sees it"
          />
          {mail?.previewText && <p class="hint">Preview text: {mail.previewText}</p>}
        </div>
      )}
    </Loaded>
  );
}
