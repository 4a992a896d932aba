import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Campaign, ContactList, Sender, Template } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { savedWords, useAutosave } from '../../../mail-editor/autosave.ts';
import { ChipChoice } from '../../../parts/choose/chip-choice.tsx';
import { ChooserField } from '../../../parts/choose/chooser.tsx';
import { useNames } from '../../../parts/choose/names.ts';
import { audiences, EVERYBODY, listItem, lists, ownGroups } from '../../../parts/choose/things.ts';
import { Badge, State } from '../../../parts/data/state.tsx';
import { Button } from '../../../parts/forms/button.tsx';
import { Field } from '../../../parts/forms/field.tsx';
import { byHand, useForm } from '../../../parts/forms/form.ts';
import { keepForPage, useKeptDraft } from '../../../parts/forms/leaving.ts';
import { BothTexts, useConflict } from '../../../parts/forms/overtaken.tsx';
import { RestoredDraft } from '../../../parts/forms/restored.tsx';
import { confirm } from '../../../parts/over/confirm.tsx';
import { toast } from '../../../parts/over/toast.tsx';
import { LoadFailure } from '../../../parts/page/loaded.tsx';
import { Notice, SkeletonLines } from '../../../parts/page/notice.tsx';
import { Page, Section } from '../../../parts/page/page.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import { navigate, place, to } from '../../../router.ts';
import { can } from '../../../session.ts';
import { canEdit } from '../campaign/words.tsx';
import { CampaignTest } from '../test-mail.tsx';
import { AudienceSum, OtherAudience, useAudience } from './audience.tsx';
import { ContentSection, fromSender, fromTemplate } from './content.tsx';
import { bodyOf, type Draft, draftOf, isAddressed, partsOf, unsavedWords, wireNames } from './draft.ts';
import { MeasuringSection } from './measuring-section.tsx';
import { takenOut } from './own-mail.ts';
import { publishQuestion, takeBackQuestion } from './publish-words.ts';
import { Schedule } from './schedule.tsx';
import { VariantsSection } from './variants/section.tsx';
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

const CHOOSE_FIRST = 'Choose first which version stays.';

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
  const isStarted = loaded?.campaign?.id === id && id !== null && !canEdit(loaded.campaign.status);
  useLayoutEffect(() => {
    if (isStarted) navigate(to(`/campaigns/${id}`), { replace: true });
  }, [isStarted, id]);
  if (loaded && (loaded.campaign?.id ?? null) === id && !isStarted)
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
  const form = useForm<Draft>(
    {
      ...draftOf(campaign),
      ...(list && { toLists: [list.id] }),
      ...(template && fromTemplate(template)),
      ...(sender && fromSender(sender)),
    },
    wireNames,
  );
  const isTesting = useSignal(false);
  const person = useSignal('');
  const draft = form.values.value;
  const audience = useAudience(draft);
  const { found, error } = audience;
  const isReadOnly = !can(campaign ? 'campaigns.update' : 'campaigns.create');
  const groups = useNames(ownGroups, [draft.unsubscribeGroupId]);
  const groupName = draft.unsubscribeGroupId === '' ? null : groups.name(draft.unsubscribeGroupId);
  const parts = partsOf(
    draft,
    { willReceive: found.value?.willReceive ?? null, isFailed: error.value !== null },
    groupName,
  );
  const missing = parts.find((part) => part.missing)?.missing;
  const begunFor = ['new', list?.id, template?.templateId].filter(Boolean).join(' ');
  const kept = useKeptDraft(form, `campaigns/${campaign?.id ?? begunFor}`, campaign?.updatedAt ?? null);

  const conflict = useConflict(kept, campaign, async () => campaign && api.campaigns.get(campaign.id));
  const versionParts = useVersionParts(conflict.newest.value, form);

  const base = useRef(conflict.base);
  base.current = conflict.base;
  const sending = useRef<Promise<unknown>>(Promise.resolve());
  /** One after the other: a call that another one overtakes would be refused. */
  function send(publish: boolean): Promise<Campaign> {
    const sent = sending.current.then(async () => {
      const values = form.values.peek();
      const body = bodyOf(values, publish);
      const { current: before } = base;
      const saved = await (before
        ? conflict.save(() =>
            api.campaigns.update(before.id, { ...body, ...takenOut(values), updatedAt: before.updatedAt }),
          )
        : api.campaigns.create(body));
      base.current = saved;
      return saved;
    });
    sending.current = sent.catch(() => undefined);
    return sent;
  }
  const isPublishing = useSignal(false);
  /** Until it is refused, and for good when it is not: a save of a draft behind it would take the campaign back. */
  async function sendAll(): Promise<Campaign> {
    isPublishing.value = true;
    return send(true).catch((error: unknown) => {
      isPublishing.value = false;
      throw error;
    });
  }
  const isWhole = (values: Draft) => unsavedWords(values) === '';
  const save = form.submit(async (values) => {
    const saved = await send(false);
    if (campaign) return onSaved(saved);
    const typed = form.values.peek();
    if (typed !== values || !isWhole(typed)) keepForPage(`campaigns/${saved.id}`, typed, saved.updatedAt);
    form.reset(typed);
    navigate(to(`/campaigns/${saved.id}/edit`));
  }, isWhole);
  const isScheduled = conflict.base?.status === 'scheduled';
  /** A save takes a scheduled campaign back to a draft: it asks first. */
  const saveAsked = byHand(async () => {
    if (!isScheduled) return save();
    let isSaved = false;
    await confirm({
      ...takeBackQuestion(draftOf(conflict.base)),
      run: async () => {
        isSaved = await save();
      },
    });
    return isSaved;
  });
  async function saveByHand(): Promise<void> {
    const values = form.values.peek();
    if (await saveAsked()) toast(`Saved ${values.name}${unsavedWords(values)}`, { kind: 'good' });
  }
  async function publish(): Promise<void> {
    // People may have joined or left since the page was opened.
    const counted = await audience.count();
    if (!counted || counted.willReceive === 0) return;
    let published: Campaign | null = null;
    const done = await confirm({
      ...publishQuestion(form.values.peek(), counted.willReceive),
      run: async () => {
        published = await sendAll().catch((error: unknown) => {
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

  const isChanged = form.isChanged.value;
  // A scheduled campaign is what is sent: it changes when a person says so.
  const isHeld = isReadOnly || isPublishing.value || campaign?.status !== 'draft' || conflict.newest.value !== null;
  const { isSoon } = useAutosave(form, save, isHeld);

  const notice = conflict.newest.value
    ? 'Another version was saved elsewhere. Press Done and choose one.'
    : form.failure.value;
  const whyNotPublished = conflict.newest.value
    ? CHOOSE_FIRST
    : missing
      ? `${missing}. Then you can publish.`
      : error.value
        ? 'The audience could not be counted. Try again under Audience.'
        : !found.value && 'The audience is being counted.';
  return (
    <Page
      title={campaign?.name ?? 'New campaign'}
      crumb={{ label: 'Campaigns', path: '/campaigns' }}
      state={<Badge>{campaign?.status === 'scheduled' ? 'Scheduled' : 'Draft'}</Badge>}
      note={
        campaign
          ? savedWords({
              isChanged: form.isUnsent.value,
              ...{ isSoon: isSoon.value, isSaving: form.isBusy.value, at: campaign.updatedAt },
            }) + (isChanged && !form.isUnsent.value ? unsavedWords(draft) : '')
          : isChanged && 'Changed, not saved'
      }
      actions={
        <>
          <Button
            operation="campaigns.test"
            why={
              !campaign
                ? 'Save first: a test sends what is saved.'
                : conflict.newest.value
                  ? CHOOSE_FIRST
                  : isScheduled && isChanged && 'Publish the change first: a test sends what is saved.'
            }
            onClick={async () => {
              isTesting.value = !isChanged || (await byHand(save)());
            }}
          >
            Send a test…
          </Button>
          <Button
            operation={campaign ? 'campaigns.update' : 'campaigns.create'}
            isBusy={form.isBusy.value}
            why={conflict.newest.value && CHOOSE_FIRST}
            onClick={saveByHand}
          >
            {isScheduled ? 'Back to a draft…' : 'Save draft'}
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
        onKeep={saveAsked}
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
            <AudienceSum audience={audience} isChosen={isAddressed(draft)} />
          </div>
        </div>
      </Section>
      <ContentSection {...{ form, person, isReadOnly }} template={campaign?.template ?? template} notice={notice} />
      <VariantsSection {...{ form, person, notice, isReadOnly }} found={found.value} />
      <MeasuringSection form={form} isReadOnly={isReadOnly} />
      <Section title="Time" hasRule>
        <Schedule form={form} found={found.value} isReadOnly={isReadOnly} />
      </Section>
      {isTesting.value && campaign && (
        <CampaignTest
          campaign={campaign}
          person={person.value}
          onClose={() => {
            isTesting.value = false;
          }}
        />
      )}
    </Page>
  );
}
