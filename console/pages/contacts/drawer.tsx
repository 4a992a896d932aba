import { useSignal } from '@preact/signals';
import type { Contact } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { useNames } from '../../parts/choose/names.ts';
import { lists } from '../../parts/choose/things.ts';
import { Mono, Pairs } from '../../parts/data/details.tsx';
import { counted } from '../../parts/data/format.ts';
import { Badge, State } from '../../parts/data/state.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { save } from '../../parts/forms/download.ts';
import { Drawer } from '../../parts/over/drawer.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { type Query, useQuery } from '../../parts/page/query.ts';
import { currentTab, Tabs } from '../../parts/page/tabs.tsx';
import { setQuery, to } from '../../router.ts';
import { Activity } from './activity.tsx';
import { Consents } from './consents.tsx';
import { ContactDialog } from './contact-dialog.tsx';
import { labelOf } from './field-names.ts';
import { allFields } from './fields.tsx';

const tabs = [
  { key: '', label: 'What happened' },
  { key: 'fields', label: 'Fields' },
  { key: 'suppressions', label: 'Suppressions' },
  { key: 'consents', label: 'Consents' },
];

/** One person. */
export function ContactDrawer({
  contactId,
  onDelete,
  onChange,
}: {
  contactId: string;
  onDelete: (contact: Contact) => Promise<void>;
  onChange: () => unknown;
}) {
  const isChanging = useSignal(false);
  const contact = useQuery((signal) => api.contacts.get(contactId, { signal }), [contactId]);
  const groups = useQuery((signal) => api.contacts.unsubscribeGroups(contactId, { signal }), [contactId]);
  const found = contact.data.value;
  const stops = groups.data.value?.groups ?? [];
  const tab = currentTab(tabs, 'of');
  return (
    <Drawer
      title={found ? nameOf(found) : 'A person'}
      under={
        found && (
          <div class="row wrap">
            <span class="dim">{found.email}</span>
            {stops.length > 0 && (
              <Badge tone="warn">{stops.length === 1 ? 'In a suppression' : `In ${stops.length} suppressions`}</Badge>
            )}
          </div>
        )
      }
      onClose={() => setQuery({ person: null, of: null }, { push: true })}
    >
      <Loaded query={contact}>
        {(one) => (
          <div class="stack">
            <div class="row wrap">
              <Button
                icon="edit"
                operation="contacts.update"
                onClick={() => {
                  isChanging.value = true;
                }}
              >
                Change
              </Button>
              <Button icon="email" href={to('/emails', { address: one.email })}>
                Mails
              </Button>
              <Button
                icon="download"
                operation="contacts.data"
                label="Download this person's data"
                onClick={() => save(api.contacts.data(one.id), 'personal-data.json')}
              >
                Data
              </Button>
              <Button kind="danger" operation="contacts.delete" onClick={() => onDelete(one)}>
                Delete…
              </Button>
            </div>
            <Tabs label="Of this person" name="of" tabs={tabs} />
            {tab === '' && <Activity contactId={one.id} />}
            {tab === 'fields' && <Fields contact={one} />}
            {tab === 'consents' && <Consents contactId={one.id} />}
            {tab === 'suppressions' && <Suppressions query={groups} email={one.email} />}
          </div>
        )}
      </Loaded>
      {isChanging.value && found && (
        <ContactDialog
          contact={found}
          onClose={() => {
            isChanging.value = false;
          }}
          onDone={async (next) => {
            contact.data.value = next;
            toast('Saved', { kind: 'good' });
            await onChange();
          }}
        />
      )}
    </Drawer>
  );
}

export function nameOf({ firstName, lastName, email }: Pick<Contact, 'firstName' | 'lastName' | 'email'>): string {
  return [firstName, lastName].filter(Boolean).join(' ') || email;
}

function Fields({ contact }: { contact: Contact }) {
  const { name } = useNames(lists, [...contact.listIds, ...contact.segmentIds]);
  const names = (ids: readonly string[]) =>
    ids.length === 0 ? (
      <span class="dim">none</span>
    ) : (
      <span class="row wrap">
        {ids.map((id) => (
          <a key={id} class="badge" href={to(`/lists/${id}`)}>
            {name(id)}
          </a>
        ))}
      </span>
    );
  const own = Object.entries(contact.contactProperties);
  const declared = useQuery(allFields).data.value ?? [];
  const labels = new Map(declared.map((field) => [field.fieldName, labelOf(field)]));
  return (
    <Pairs
      pairs={[
        ['First name', contact.firstName ?? ''],
        ['Last name', contact.lastName ?? ''],
        ['User id', contact.userId ?? ''],
        ['Mobile', contact.mobile ?? ''],
        ...own.map(([field, value]) => [labels.get(field) ?? field, String(value)] as const),
        ['Lists', names(contact.listIds)],
        ['Segments', names(contact.segmentIds)],
        ['Added', <Time key="added" at={contact.createdAt} />],
        ['Changed', <Time key="changed" at={contact.updatedAt} />],
        ['Id', <Mono key="id" text={contact.id} what="the id" />],
      ]}
    />
  );
}

type Groups = Awaited<ReturnType<typeof api.contacts.unsubscribeGroups>>;

function Suppressions({ query, email }: { query: Query<Groups>; email: string }) {
  return (
    <Loaded query={query}>
      {({ groups }) =>
        groups.length === 0 ? (
          <p class="dim">No group stops mail to this address.</p>
        ) : (
          <ul class="notices">
            {groups.map(({ groupId, name, reason, suppressedAt, isGlobal, isMarketing, exceptGroupIds }) => (
              <li key={groupId}>
                <span />
                <div>
                  <p class="strong">{name}</p>
                  <p class="sub small">
                    <State tone="warn">{reason.toLowerCase()}</State> since <Time at={suppressedAt} />
                    {isGlobal && ', stops every mail'}
                    {isMarketing && ', stops all marketing mail'}
                    {exceptGroupIds.length > 0 &&
                      `, but for ${counted(exceptGroupIds.length, 'group')} turned on since`}
                  </p>
                </div>
                <Button isSmall href={to('/suppressions', { search: email })}>
                  Who said so
                </Button>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
