import { computed, useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { MailPart, PreviewDraftBody, TemplatePreview } from '../../../../client/index.ts';
import type { Content } from '../../../../schemas/templates/block-types.ts';
import { MailEditor, type TextField } from '../../../mail-editor/lazy.tsx';
import { wordsOf } from '../../../mail-editor/model/labels.ts';
import { ThroughVersions } from '../../../mail-editor/versions/lazy.tsx';
import { Field } from '../../../parts/forms/field.tsx';
import { byHand } from '../../../parts/forms/form.ts';
import type { Parts } from '../../../parts/forms/overtaken.tsx';
import { CodeEditor } from '../../../parts/mail/code-editor.tsx';
import { MailPreview } from '../../../parts/mail/mail-preview.tsx';
import { useDraftPreview } from '../../../parts/mail/use-preview.ts';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { Page, Section } from '../../../parts/page/page.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import { place, to } from '../../../router.ts';
import { can } from '../../../session.ts';
import { useMailDraft } from '../blocks/mail-draft.ts';
import { isOfBlocks, toEdit, versionedOf } from '../calls.ts';
import { Compare } from '../compare.tsx';
import { DraftBadge, DraftButtons, hasDraft, WHY_READ_ONLY } from '../drafts.tsx';
import { type Stored, StoredNotes, useSavedByItself, useStored } from '../stored.tsx';
import { Versions } from '../versions.tsx';
import { apiOf, callsOfPart, type Kind, kindNow } from './kinds.ts';
import { PublishDialog } from './publish-dialog.tsx';

interface Values {
  description: string;
  /** '': it is made of blocks. */
  emailTemplate: string;
  /** null: it is code. */
  content: Content | null;
}

function valuesOf({ description, emailTemplate, ...part }: MailPart): Values {
  if (!isOfBlocks(part)) return { description, emailTemplate, content: null };
  return { description, emailTemplate: '', content: part.editorJson as unknown as Content };
}

function bodyOf({ description, emailTemplate, content }: Values): object {
  return { description, ...(content ? { content } : { emailTemplate }) };
}

/** As the page calls them. */
const parts: Parts<Values> = {
  description: 'Description',
  emailTemplate: 'Code',
  content: { label: 'Blocks', text: (content) => (content ? wordsOf(content) : '') },
};

const texts: readonly TextField[] = [{ name: 'description', label: 'Description', hint: 'For yourselves.' }];

/** The mail around it, or inside it. */
const about = { templateType: 'marketing', dynamicData: { content: '<p>The mail stands here.</p>' } } as const;

/** A layout or a snippet: written as templates are, and published with what it touches. */
export default function PartPage({ params }: { params: Record<string, string> }) {
  const kind = kindNow();
  const id = params.partId ?? '';
  const part = useQuery((signal) => toEdit(callsOfPart(kind, id), signal), [kind.part, id]);
  const found = part.data.value;
  if (found)
    return (
      <Editor
        key={`${kind.part} ${id} ${isOfBlocks(found)}`}
        kind={kind}
        part={found}
        onSaved={(saved) => {
          // Only reading answers its users.
          part.data.value = { ...part.data.peek(), ...saved };
        }}
        onPublished={() => part.reload()}
      />
    );
  return (
    <Page title={kind.part === 'layout' ? 'Layout' : 'Snippet'} crumb={{ label: kind.title, path: kind.path }}>
      <Loaded query={part}>{() => null}</Loaded>
    </Page>
  );
}

interface EditorProps {
  kind: Kind;
  part: MailPart;
  onSaved: (saved: MailPart) => void;
  onPublished: () => PromiseLike<unknown>;
}

function Editor({ kind, part, onSaved, onPublished }: EditorProps) {
  const { id, name } = part;
  const { plural } = kind;
  const stored = useStored({
    calls: callsOfPart(kind, id),
    opened: part,
    nameOf: () => name,
    valuesOf,
    bodyOf,
    onSaved,
  });
  const { form, newest, save } = stored;
  const isPublishing = useSignal(false);
  const hasFaults = useSignal(false);
  const why = can(`${plural}.update`) ? null : WHY_READ_ONLY;
  const note = useSavedByItself(stored, why !== null || hasFaults.value);
  const Written = isOfBlocks(part) ? Blocks : Code;
  return (
    <Page
      title={name}
      crumb={{ label: kind.title, path: kind.path }}
      isFlush={isOfBlocks(part)}
      state={<DraftBadge of={part} />}
      note={note}
      actions={
        <DraftButtons
          {...{ room: plural, of: part, form, isOvertaken: newest !== null, publishWords: 'Publish…' }}
          onSave={byHand(save)}
          onPublish={async () => {
            if (form.isChanged.peek() && !(await save())) return;
            isPublishing.value = true;
          }}
        />
      }
    >
      <Written
        {...{ kind, stored, why }}
        before={
          <>
            {why === null && !can(`${plural}.publish`) && (
              <p class="sub">You save drafts. Mails get them when an editor or an owner publishes them.</p>
            )}
            <StoredNotes of={stored} parts={parts} />
          </>
        }
        onFaults={(found) => {
          hasFaults.value = found;
        }}
      />
      {isPublishing.value && (
        <PublishDialog
          title={`Publish ${name}`}
          touched={(signal) => apiOf(kind).touched(id, {}, { signal })}
          all={kind.part === 'layout' ? { layoutId: id } : { snippet: id }}
          store={async () => {
            if (hasDraft(part)) await stored.publishDraft(part.draftVersion);
          }}
          onRefused={() => {
            isPublishing.value = false;
          }}
          onPublished={onPublished}
          onClose={() => {
            isPublishing.value = false;
          }}
        />
      )}
    </Page>
  );
}

interface WrittenProps {
  kind: Kind;
  stored: Stored<MailPart, Values>;
  why: string | null;
  before: ComponentChildren;
  /** Whether what is typed is refused for its faults. */
  onFaults: (found: boolean) => void;
}

function Blocks({ kind: { part }, stored, why, before }: WrittenProps) {
  const { draft, editor } = useMailDraft(stored, texts);
  const person = useSignal('');
  return (
    <MailEditor
      {...{ draft, texts, person, why, before }}
      handle={editor}
      isMarketing
      frame={{ part }}
      after={({ mail, html }) => <Below stored={stored} emailTemplate={html.value} mail={mail.value} />}
    />
  );
}

function Code({ kind, stored, why, before, onFaults }: WrittenProps) {
  const { form } = stored;
  const draft = useMemo(
    () => computed<PreviewDraftBody>(() => ({ ...about, emailTemplate: form.values.value.emailTemplate })),
    [form],
  );
  const { mail, faults, isAtFault, isOld } = useDraftPreview(draft);
  useSignalEffect(() => onFaults(isAtFault.value));
  const [fault] = faults.value;
  const note = kind.part === 'layout' ? '{{{content}}} is where the mail stands' : null;
  return (
    <>
      {before}
      <Field form={form} name="description" label="Description" autocomplete="off" why={why} hint="For yourselves." />
      <Section title="Code" note={fault ? `line ${fault.line}: ${fault.message}` : note}>
        <CodeEditor
          label={`HTML of the ${kind.part}`}
          value={form.values.value.emailTemplate}
          faults={faults.value}
          isReadOnly={why !== null}
          onReady={(_, code) => {
            stored.ways.current = { code };
          }}
          onChange={(text) => {
            if (text !== form.values.peek().emailTemplate) form.set('emailTemplate', text);
          }}
        />
      </Section>
      <Section title="Preview" hasRule>
        <MailPreview mail={mail.value} isOld={isOld.value} />
      </Section>
      <Below stored={stored} emailTemplate={form.values.value.emailTemplate} mail={mail.value} />
    </>
  );
}

/** The difference to the version that mails have, the versions, and the users. */
function Below({
  stored: { calls, opened, newest, restore },
  emailTemplate,
  mail,
}: {
  stored: Stored<MailPart, Values>;
  /** As it is typed; null while it is compiled. */
  emailTemplate: string | null;
  mail: TemplatePreview | null;
}) {
  const person = useSignal('');
  const { publishedVersion } = opened;
  const compared = newest?.version ?? (Number(place.value.query.get('with')) || publishedVersion);
  const contentOf = ({ emailTemplate: code }: { emailTemplate: string }) => ({
    ...{ subject: '', previewText: '', emailTemplate: code },
  });
  return (
    <>
      {compared !== null && (
        <Compare
          {...{ calls, publishedVersion, contentOf, mail, person, about }}
          version={compared}
          content={emailTemplate === null ? null : contentOf({ emailTemplate })}
        />
      )}
      {isOfBlocks(opened) && <ThroughVersions of={versionedOf(calls, newest ?? opened, restore)} />}
      <Versions calls={calls} opened={newest ?? opened} compared={compared} onRestore={restore} />
      <UsedBy part={opened} />
    </>
  );
}

function UsedBy({ part: { usedBy = [], uses = 0 } }: { part: MailPart }) {
  return (
    <Section title="Used by" note={uses > usedBy.length ? `${uses}, the newest of them here` : null} hasRule>
      {usedBy.length === 0 && <p class="dim">Nothing yet.</p>}
      <ul class="plain">
        {usedBy.map((user) => (
          <li key={`${user.kind} ${user.id}`}>
            <a class="link" href={hrefOf(user)}>
              {user.name}
            </a>{' '}
            {user.kind !== 'template' && <span class="dim">{user.kind}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function hrefOf({ kind, id }: NonNullable<MailPart['usedBy']>[number]) {
  if (kind === 'template') return to(`/templates/${id}`);
  return to(`/templates/${kind}s/${id}`);
}
