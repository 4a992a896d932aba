import { computed, type Signal, useSignal } from '@preact/signals';
import { useId, useMemo } from 'preact/hooks';
import type { Campaign, ContactList, PreviewDraftBody, Sender, Template } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { ChipChoice } from '../../../parts/choose/chip-choice.tsx';
import { ChooserField } from '../../../parts/choose/chooser.tsx';
import { useNames } from '../../../parts/choose/names.ts';
import { SearchChoice } from '../../../parts/choose/search-choice.tsx';
import {
  audiences,
  EVERYBODY,
  listItem,
  lists,
  marketingTemplates,
  ownGroups,
  senders,
  templateItem,
} from '../../../parts/choose/things.ts';
import { moment, people } from '../../../parts/data/format.ts';
import { Badge, State } from '../../../parts/data/state.tsx';
import { Button } from '../../../parts/forms/button.tsx';
import { Field } from '../../../parts/forms/field.tsx';
import { type Form, sentenceOf, useForm } from '../../../parts/forms/form.ts';
import { useKeptDraft } from '../../../parts/forms/leaving.ts';
import { BothTexts, useConflict } from '../../../parts/forms/overtaken.tsx';
import { RestoredDraft } from '../../../parts/forms/restored.tsx';
import { MailPreview } from '../../../parts/mail/mail-preview.tsx';
import { PersonSearch } from '../../../parts/mail/person-search.tsx';
import { TestDialog } from '../../../parts/mail/test-dialog.tsx';
import { useDraftPreview } from '../../../parts/mail/use-preview.ts';
import { confirm } from '../../../parts/over/confirm.tsx';
import { toast } from '../../../parts/over/toast.tsx';
import { LoadFailure } from '../../../parts/page/loaded.tsx';
import { Notice, SkeletonLines } from '../../../parts/page/notice.tsx';
import { Page, Section } from '../../../parts/page/page.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import { navigate, place, to } from '../../../router.ts';
import { can } from '../../../session.ts';
import { AudienceSum, OtherAudience, useAudience } from './audience.tsx';
import { bodyOf, type Draft, draftOf, isAddressed, partsOf } from './draft.ts';
import { MeasuringSection } from './measuring-section.tsx';
import { Schedule } from './schedule.tsx';
import { useVersionParts } from './version-parts.ts';

interface Loaded {
  campaign: Campaign | null;
  /** The list that a new campaign is for, when the address names one. */
  list: ContactList | null;
  /** The template that it is made of, in the same way. */
  template: Template | null;
  /** The sender of a new campaign, where the project has one alone. */
  sender: Sender | null;
  everybody: ContactList;
}

/** A campaign before it starts: `/campaigns/new`, `/campaigns/{campaignId}/edit`. */
export default function CampaignEditor({ params }: { params: Record<string, string> }) {
  const id = params.campaignId ?? null;
  const listId = id ? null : place.value.query.get('list');
  const templateId = id ? null : place.value.query.get('template');
  const query = useQuery(
    async (signal): Promise<Loaded> => {
      const [campaign, list, template, saved, everybody] = await Promise.all([
        id ? api.campaigns.get(id, { signal }) : null,
        listId ? api.safe.contactLists.get(listId, { signal }).then(({ data }) => data) : null,
        templateId ? api.safe.templates.get(templateId, {}, { signal }).then(({ data }) => data) : null,
        id ? null : api.senders.list({ limit: 2 }, { signal }),
        api.contactLists.get(EVERYBODY, { signal }),
      ]);
      const [sender = null, ...others] = saved?.senders ?? [];
      return { campaign, list, template, sender: others.length === 0 ? sender : null, everybody };
    },
    [id, listId, templateId],
  );
  const loaded = query.data.value;
  if (loaded && (loaded.campaign?.id ?? null) === id)
    return (
      <Editor
        key={id}
        loaded={loaded}
        onSaved={(campaign) => {
          query.data.value = { ...loaded, campaign };
        }}
      />
    );
  return (
    <Page title={id ? 'Campaign' : 'New campaign'} crumb={{ label: 'Campaigns', path: '/campaigns' }}>
      {query.error.value === null ? (
        <SkeletonLines />
      ) : (
        <LoadFailure error={query.error.value} onRetry={query.reload} />
      )}
    </Page>
  );
}

function Editor({
  loaded: { campaign, list, template, sender, everybody },
  onSaved,
}: {
  loaded: Loaded;
  onSaved: (campaign: Campaign) => void;
}) {
  const asked = list ? [list] : [];
  const known = [everybody, ...asked, ...(campaign?.toLists ?? []), ...(campaign?.excludeLists ?? [])].map(listItem);
  const form = useForm<Draft>({
    ...draftOf(campaign),
    ...(list && { toLists: [list.id] }),
    ...(template && fromTemplate(template)),
    ...(sender && fromSender(sender)),
  });
  const isTesting = useSignal(false);
  const person = useSignal('');
  const draft = form.values.value;
  const { found, error } = useAudience(draft);
  const isReadOnly = !can(campaign ? 'campaigns.update' : 'campaigns.create');
  const groups = useNames(ownGroups, [draft.unsubscribeGroupId]);
  const groupName = draft.unsubscribeGroupId === '' ? null : groups.name(draft.unsubscribeGroupId);
  const parts = partsOf(draft, found.value?.willReceive ?? null, groupName);
  const missing = parts.find((part) => part.missing)?.missing;
  const kept = useKeptDraft(form, `campaigns/${campaign?.id ?? 'new'}`, campaign?.updatedAt ?? null);

  const conflict = useConflict(kept, campaign, async () => campaign && api.campaigns.get(campaign.id));
  const versionParts = useVersionParts(conflict.newest.value, form);

  async function send(publish: boolean): Promise<Campaign> {
    const body = bodyOf(form.values.peek(), publish);
    const { base } = conflict;
    if (!base) return api.campaigns.create(body);
    return conflict.save(() => api.campaigns.update(base.id, { ...body, updatedAt: base.updatedAt }));
  }
  const save = form.submit(async () => {
    const saved = await send(false);
    toast(`Saved ${saved.name}`, { kind: 'good' });
    if (campaign) onSaved(saved);
    else {
      form.reset(form.values.peek());
      navigate(to(`/campaigns/${saved.id}/edit`));
    }
  });
  async function publish(): Promise<void> {
    const n = found.value?.willReceive ?? 0;
    const at = draft.when === 'scheduled' ? ` at ${draft.scheduledAt.replace('T', ' ')}` : '';
    let published: Campaign | null = null;
    const done = await confirm({
      title: `Publish ${draft.name || 'the campaign'}`,
      text: `${people(n)} get it${draft.when === 'gradual' ? ', some each day' : at || ', beginning at once'}. You can pause it at any time; what has left cannot be called back.`,
      action: draft.when === 'immediate' ? `Send to ${people(n)}` : `Publish for ${people(n)}`,
      run: async () => {
        published = await send(true).catch((error: unknown) => {
          // The page shows both versions: nothing is mailed before one was chosen.
          if (conflict.newest.peek() === null) throw error;
          return null;
        });
      },
    });
    if (!done || published === null) return;
    form.reset(form.values.peek());
    navigate(to(`/campaigns/${(published as Campaign).id}`));
  }

  const whyNotPublished = conflict.newest.value
    ? 'Choose first which version stays.'
    : missing
      ? `${missing}. Then you can publish.`
      : !found.value && 'The audience is being counted.';
  return (
    <Page
      title={campaign?.name ?? 'New campaign'}
      crumb={{ label: 'Campaigns', path: '/campaigns' }}
      state={<Badge>{campaign?.status === 'scheduled' ? 'Scheduled' : 'Draft'}</Badge>}
      note={form.isChanged.value ? 'Changed, not saved' : campaign && `Saved ${moment(campaign.updatedAt)}`}
      actions={
        <>
          <Button
            operation="campaigns.test"
            why={(!campaign || form.isChanged.value) && 'Save first: a test sends what is saved.'}
            onClick={() => {
              isTesting.value = true;
            }}
          >
            Send a test…
          </Button>
          <Button
            operation={campaign ? 'campaigns.update' : 'campaigns.create'}
            isBusy={form.isBusy.value}
            onClick={() => save()}
          >
            Save draft
          </Button>
          <Button kind="first" operation="campaigns.resume" why={whyNotPublished} onClick={publish}>
            Publish…
          </Button>
        </>
      }
    >
      <ol class="tiles" aria-label="What is ready">
        {parts.map(({ name, note, missing: lacks }) => (
          <li key={name}>
            <span class="tile">
              <State tone={lacks ? 'bad' : 'good'}>{name}</State>
              <span class={lacks ? 't-bad small' : 'sub small cut'}>{lacks ?? note}</span>
            </span>
          </li>
        ))}
      </ol>
      <RestoredDraft draft={kept} />
      <BothTexts
        {...{ conflict, draft: kept, form, parts: versionParts, valuesOf: draftOf }}
        onKeep={() => save()}
        onTake={onSaved}
      />
      {!conflict.newest.value && form.failure.value && <Notice kind="bad" title={form.failure.value} />}
      {everybody.contactCount === 0 && (
        <Notice
          title="Nobody is here yet"
          action={
            <Button isSmall href={to('/imports')}>
              Import a file
            </Button>
          }
        >
          Import a file of people, or add them under Contacts, and come back.
        </Notice>
      )}
      <Section title="Audience">
        <div class="cols">
          <div class="stack c7">
            <Field
              form={form}
              name="name"
              label="Name of the campaign"
              autocomplete="off"
              hint="For you; nobody who gets it sees it."
              why={isReadOnly && 'Your role only reads.'}
            />
            {draft.audience && <OtherAudience audience={draft.audience} />}
            <ChipChoice
              things={audiences}
              label="To"
              add="Add a list or a segment"
              known={known}
              chosen={draft.toLists}
              isReadOnly={isReadOnly}
              onChange={(ids) => {
                form.set('toLists', ids);
                form.set('audience', null);
              }}
            />
            <ChipChoice
              things={lists}
              label="But not"
              add="Leave out a list or a segment"
              known={known}
              chosen={draft.excludeLists}
              isReadOnly={isReadOnly}
              onChange={(ids) => form.set('excludeLists', ids)}
            />
            <ChooserField
              form={form}
              name="unsubscribeGroupId"
              label="Unsubscribe group"
              hint="The link in the mail leaves this group."
              look="half"
              why={isReadOnly && 'Your role only reads.'}
              things={ownGroups}
              names={groups}
              none="The default group"
            />
            <Field
              form={form}
              name="tags"
              label="Tags"
              autocomplete="off"
              placeholder="season:winter, kind:letter"
              hint="Up to ten, each a name and a value, to find and to count its mails by. Nothing personal."
              why={isReadOnly && 'Your role only reads.'}
            />
          </div>
          <div class="c5">
            <AudienceSum found={found.value} error={error.value} isChosen={isAddressed(draft)} />
          </div>
        </div>
      </Section>
      <Content form={form} own={campaign?.template ?? template} person={person} isReadOnly={isReadOnly} />
      <MeasuringSection form={form} isReadOnly={isReadOnly} />
      <Section title="Time" hasRule>
        <Schedule form={form} willReceive={found.value?.willReceive ?? null} isReadOnly={isReadOnly} />
      </Section>
      {isTesting.value && campaign && (
        <TestDialog
          person={person.value}
          send={(test) => api.campaigns.test(campaign.id, test)}
          onClose={() => {
            isTesting.value = false;
          }}
        />
      )}
    </Page>
  );
}

function Content({
  form,
  own,
  person,
  isReadOnly,
}: {
  form: Form<Draft>;
  /** The template of the campaign as it was loaded. */
  own: Template | null;
  person: Signal<string>;
  isReadOnly: boolean;
}) {
  const why = isReadOnly && 'Your role only reads.';
  const { templateId } = form.values.value;
  const names = useNames(marketingTemplates, [templateId], own ? [templateItem(own)] : []);
  const body = useMemo(
    () =>
      computed<PreviewDraftBody>(() => {
        const { subject, previewText } = form.values.value;
        const html = names.of(form.values.value.templateId)?.thing?.emailTemplate ?? '';
        const { value: email } = person;
        return { emailTemplate: html, subject, previewText, templateType: 'marketing', ...(email && { email }) };
      }),
    [form],
  );
  const preview = useDraftPreview(body);
  return (
    <Section
      title="Content"
      hasRule
      aside={
        templateId !== '' && (
          <a class="link small" href={to(`/templates/${templateId}`)}>
            Edit the template
          </a>
        )
      }
    >
      <div class="cols near">
        <div class="c6">
          <Field form={form} name="subject" label="Subject" autocomplete="off" why={why} />
        </div>
        <div class="c6">
          <Field form={form} name="previewText" label="Preview text" autocomplete="off" why={why} />
        </div>
        {!isReadOnly && (
          <div class="c3">
            <SenderChoice form={form} />
          </div>
        )}
        <div class="c3">
          <Field
            form={form}
            name="fromEmail"
            label="From"
            autocomplete="off"
            placeholder="post@news.harbour.example"
            why={why}
          />
        </div>
        <div class="c3">
          <Field form={form} name="fromName" label="Name shown" autocomplete="off" why={why} />
        </div>
        <div class="c3">
          <Field
            form={form}
            name="replyTo"
            label="Answers go to"
            autocomplete="off"
            placeholder="The sender"
            why={why}
          />
        </div>
        <div class="c6">
          <ChooserField
            form={form}
            name="templateId"
            label="Template"
            placeholder="Choose a template"
            why={why}
            things={marketingTemplates}
            names={names}
            onPick={({ thing }) => takeTexts(form, thing)}
          />
        </div>
      </div>
      {templateId !== '' && (
        <>
          <PersonSearch person={person} />
          {preview.error.value !== null && (
            <Notice kind="warn" title="The preview could not be made">
              {sentenceOf(preview.error.value)}
            </Notice>
          )}
          <MailPreview mail={preview.mail.value} isOld={preview.isOld.value} />
        </>
      )}
    </Section>
  );
}

function fromTemplate({ templateId, templateName, subject, previewText }: Template) {
  return { templateId, name: templateName, subject, previewText };
}

function fromSender({ email, name, replyTo }: Sender) {
  return { fromEmail: email, fromName: name, replyTo };
}

/** Those of the template, where nothing was typed yet. */
function takeTexts(form: Form<Draft>, template: Template | undefined): void {
  if (!template) return;
  const { templateId: _, ...texts } = fromTemplate(template);
  for (const name of ['name', 'subject', 'previewText'] as const)
    if (form.values.peek()[name] === '') form.set(name, texts[name]);
}

/** Fills address, name and answers of a saved sender. */
function SenderChoice({ form }: { form: Form<Draft> }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Saved sender</label>
      <SearchChoice
        id={id}
        label="Saved sender"
        placeholder="Choose one"
        things={senders}
        onPick={({ thing }) => {
          for (const [name, text] of Object.entries(thing ? fromSender(thing) : {}))
            form.set(name as keyof ReturnType<typeof fromSender>, text);
        }}
      />
    </div>
  );
}
