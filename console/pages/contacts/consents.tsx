import type { Consent } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { useNames } from '../../parts/choose/names.ts';
import { lists } from '../../parts/choose/things.ts';
import { Pairs } from '../../parts/data/details.tsx';
import { count } from '../../parts/data/format.ts';
import { Time } from '../../parts/data/time.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { to } from '../../router.ts';

const LIMIT = 50;

const sources: Record<Consent['source'], string> = {
  form: 'By a form',
  page: 'On the preference page',
  import: 'Brought by an import',
  api: 'Given by a program',
};

/** The sentences that a person agreed to, newest first. */
export function Consents({ contactId }: { contactId: string }) {
  const consents = useQuery((signal) => api.contacts.consents(contactId, { limit: LIMIT }, { signal }), [contactId]);
  const { name } = useNames(lists, consents.data.value?.consents.flatMap(({ listIds }) => listIds) ?? []);
  return (
    <Loaded query={consents}>
      {({ consents: all, pagination: { total } }) =>
        all.length === 0 ? (
          <p class="dim">
            No consent is recorded. Forms and the preference page record them, and imports may bring them.
          </p>
        ) : (
          <div class="stack">
            <ol class="stack">
              {all.map((consent) => (
                <One key={consent.id} consent={consent} nameOf={name} />
              ))}
            </ol>
            {total > all.length && (
              <p class="dim">
                The newest {count(all.length)} of {count(total)}.
              </p>
            )}
          </div>
        )
      }
    </Loaded>
  );
}

function One({ consent, nameOf }: { consent: Consent; nameOf: (listId: string) => string }) {
  const { source, formId, email, text, textVersion, listIds, askedAt, confirmedAt, networkAddress } = consent;
  return (
    <li class="consent stack tight">
      <blockquote class="wrapped">{text}</blockquote>
      <Pairs
        pairs={[
          [
            'Where',
            formId ? (
              <a key="form" class="link" href={to(`/forms/${formId}`)}>
                {sources[source]}
              </a>
            ) : (
              sources[source]
            ),
          ],
          ['Asked', <Time key="asked" at={askedAt} />],
          ['Confirmed', <Time key="confirmed" at={confirmedAt} none="not by a mail" />],
          ['Address', email],
          ['Lists', listIds.length > 0 && listIds.map(nameOf).join(', ')],
          ['From the network', networkAddress],
          [
            'Version of the text',
            <span key="version" class="mono">
              {textVersion}
            </span>,
          ],
        ]}
      />
    </li>
  );
}
