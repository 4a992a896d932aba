import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Template, TemplatePreview, Translation, Translations } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Badge } from '../../parts/data/state.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { save as saveFile } from '../../parts/forms/download.ts';
import { MailPreview } from '../../parts/mail/mail-preview.tsx';
import { PersonSearch } from '../../parts/mail/person-search.tsx';
import { confirm } from '../../parts/over/confirm.tsx';
import { toast, toastError } from '../../parts/over/toast.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Notice } from '../../parts/page/notice.tsx';
import { Page, Section } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { Tabs } from '../../parts/page/tabs.tsx';
import { place, setQuery } from '../../router.ts';
import { can } from '../../session.ts';
import { hasDraft, toEdit, WHY_READ_ONLY } from './head.tsx';

/** The languages of a template: its own words on the left, those of a language on the right, saved as the draft. */
export default function LanguagesPage({ params }: { params: Record<string, string> }) {
  const id = params.templateId ?? '';
  const template = useQuery((signal) => toEdit(id, signal), [id]);
  const list = useQuery((signal) => api.templates.translations(id, {}, { signal }), [id]);
  const found = template.data.value;
  const languages = list.data.value;
  const crumb = { label: found?.templateName ?? 'Template', path: `/templates/${id}` as '/templates' };
  if (found && languages)
    return <Languages key={id} template={found} list={list.data as Signal<Translations>} crumb={crumb} />;
  return (
    <Page title="Languages" crumb={crumb}>
      <Loaded query={template}>{() => <Loaded query={list}>{() => null}</Loaded>}</Loaded>
    </Page>
  );
}

interface Shown {
  template: Template;
  list: Signal<Translations>;
  crumb: { label: string; path: '/templates' };
}

function Languages({ template, list, crumb }: Shown) {
  const { templateId } = template;
  const { translations, newestVersion, draftVersion, publishedVersion } = list.value;
  const asked = place.value.query.get('language');
  const language = translations.find((one) => one.language === asked)?.language ?? translations[0]?.language;
  const take = (next: Translations) => {
    list.value = next;
  };
  const reload = async () => take(await api.templates.translations(templateId));
  const isDraft = draftVersion !== null && draftVersion === newestVersion;
  const publish = async () => {
    await api.templates.publish(templateId, { version: newestVersion });
    await reload();
    toast(`Published version ${newestVersion} of ${template.templateName}`, { kind: 'good' });
  };
  return (
    <Page
      title="Languages"
      crumb={crumb}
      state={isDraft && <Badge tone="info">Draft, not published</Badge>}
      actions={
        <>
          <Button onClick={() => saveFile(api.templates.exportTranslations(templateId), 'translations.csv')}>
            Export
          </Button>
          <ImportButton templateId={templateId} onDone={take} />
          {can('templates.publish') && (
            <Button kind="first" why={!isDraft && 'There is no draft to publish.'} onClick={publish}>
              Publish
            </Button>
          )}
        </>
      }
    >
      {hasDraft(template) || publishedVersion !== null ? null : <Notice title="Nothing is published yet." />}
      <p class="sub">
        Mail is in the language that the contact reads, and in the words of the template where a language has none.
      </p>
      <AddLanguage templateId={templateId} onAdded={reload} />
      {translations.length > 0 && (
        <Tabs
          label="Languages"
          name="language"
          tabs={translations.map((one) => ({
            key: one.language,
            label: nameOf(one.language),
            n: one.missing.length + one.outdated.length || null,
          }))}
        />
      )}
      {language && <OneLanguage key={language} templateId={templateId} language={language} onSaved={reload} />}
    </Page>
  );
}

/** French, with the tag where the browser knows no name. */
function nameOf(tag: string): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag;
}

function AddLanguage({ templateId, onAdded }: { templateId: string; onAdded: () => Promise<void> }) {
  const tag = useSignal('');
  const id = useId();
  const add = async (event: Event) => {
    event.preventDefault();
    const language = tag.peek().trim();
    if (language === '') return;
    try {
      const added = await api.templates.translate(templateId, language, {});
      await onAdded();
      tag.value = '';
      setQuery({ language: added.language }, { push: true });
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <form class="tools" onSubmit={add}>
      <label for={id}>Another language</label>
      <input
        id={id}
        class="in half"
        placeholder="fr, pt-BR"
        disabled={!can('templates.translate')}
        value={tag.value}
        onInput={({ currentTarget }) => {
          tag.value = currentTarget.value;
        }}
      />
      <Button type="submit" operation="templates.translate">
        Add
      </Button>
    </form>
  );
}

function ImportButton({ templateId, onDone }: { templateId: string; onDone: (next: Translations) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const send = async (file: File | undefined) => {
    if (!file) return;
    try {
      onDone(await api.templates.importTranslations(templateId, file));
      toast(`Imported ${file.name} into the draft`, { kind: 'good' });
    } catch (error) {
      toastError(error);
    }
    if (input.current) input.current.value = '';
  };
  return (
    <>
      <input
        ref={input}
        class="sr"
        type="file"
        tabIndex={-1}
        accept=".csv,text/csv"
        aria-label="Table of translations"
        onChange={(event) => void send(event.currentTarget.files?.[0])}
      />
      <Button operation="templates.importTranslations" onClick={() => input.current?.click()}>
        Import
      </Button>
    </>
  );
}

interface One {
  templateId: string;
  language: string;
  onSaved: () => Promise<void>;
}

function OneLanguage({ templateId, language, onSaved }: One) {
  const found = useQuery((signal) => api.templates.translation(templateId, language, {}, { signal }), [language]);
  return (
    <Loaded query={found}>
      {() => <Words translation={found.data as Signal<Translation>} {...{ templateId, language, onSaved }} />}
    </Loaded>
  );
}

/** A field that is left is saved, one after the other. */
function Words({ translation, templateId, language, onSaved }: One & { translation: Signal<Translation> }) {
  const { bases, missing, outdated, version } = translation.value;
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  const save = (name: string, text: string, isReviewed = false) => {
    const run = async () => {
      const reviewed = isReviewed ? [name] : [];
      const body = { ...withText(translation.peek(), name, text), reviewed };
      try {
        translation.value = await api.templates.translate(templateId, language, body);
        await onSaved();
      } catch (error) {
        toastError(error);
      }
    };
    saving.current = saving.current.then(run);
    return saving.current;
  };
  const shown = bases.filter(({ name, base }) => base !== '' && (name !== 'emailTemplate' || !hasBlocks(bases)));
  return (
    <>
      <Section title={nameOf(language)} note={missing.length === 0 ? 'Complete' : `${missing.length} missing`}>
        <ul class="stack plain">
          {shown.map(({ name, base, isOptional }) => (
            <Word
              key={name}
              {...{ name, base, isOptional, language }}
              text={textOf(translation.value, name)}
              state={outdated.includes(name) ? 'outdated' : missing.includes(name) ? 'missing' : null}
              onSave={(text, isReviewed) => save(name, text, isReviewed)}
            />
          ))}
        </ul>
        <Button
          kind="danger"
          operation="templates.deleteTranslation"
          onClick={() => remove(templateId, language, onSaved)}
        >
          Remove {nameOf(language)}…
        </Button>
      </Section>
      <Preview templateId={templateId} language={language} key={version} />
    </>
  );
}

function remove(templateId: string, language: string, onSaved: () => Promise<void>) {
  return confirm({
    title: `Remove ${nameOf(language)}`,
    text: 'Its words leave the draft. Versions that were published keep them.',
    action: 'Remove it',
    run: async () => {
      await api.templates.deleteTranslation(templateId, language);
      await onSaved();
    },
  });
}

interface WordProps {
  name: string;
  base: string;
  isOptional: boolean;
  language: string;
  text: string;
  state: 'missing' | 'outdated' | null;
  onSave: (text: string, isReviewed?: boolean) => Promise<unknown>;
}

function Word({ name, base, isOptional, language, text, state, onSave }: WordProps) {
  const typed = useSignal(text);
  const id = useId();
  useEffect(() => {
    typed.value = text;
  }, [text]);
  return (
    <li class="pair">
      <div>
        <span class="dim">{labelOf(name)}</span>
        <p class="base">{base}</p>
      </div>
      <div class="field">
        <label for={id} class="sr">
          {labelOf(name)} in {nameOf(language)}
        </label>
        <textarea
          id={id}
          class="in"
          lang={language}
          rows={name === 'emailTemplate' ? 12 : 2}
          placeholder={isOptional ? 'As in the template' : undefined}
          readOnly={!can('templates.translate')}
          title={can('templates.translate') ? undefined : WHY_READ_ONLY}
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
          }}
          onBlur={() => {
            if (typed.peek() !== text) void onSave(typed.peek());
          }}
        />
        {state === 'missing' && <Badge tone="warn">Missing</Badge>}
        {state === 'outdated' && (
          <span>
            <Badge tone="warn">Older than the template</Badge>{' '}
            <Button isSmall operation="templates.translate" onClick={() => onSave(text, true)}>
              Still right
            </Button>
          </span>
        )}
      </div>
    </li>
  );
}

const OWN: Readonly<Record<string, string>> = {
  subject: 'Subject',
  previewText: 'Preview text',
  emailTemplate: 'Code',
};

function labelOf(name: string): string {
  return OWN[name] ?? name.replace(/\/(nodes|spans|links)\b/g, '').replaceAll('/', ' ');
}

function hasBlocks(bases: Translation['bases']): boolean {
  return bases.some(({ name }) => name.includes('/'));
}

function textOf({ texts, ...own }: Translation, name: string): string {
  const end = name.indexOf('/');
  if (end < 0) return (own as unknown as Record<string, string | null>)[name] ?? '';
  const fields = (texts as Record<string, Record<string, string>>)[name.slice(0, end)];
  return fields?.[name.slice(end + 1)] ?? '';
}

type Texts = Record<string, Record<string, string>>;

/** All of a translation, as it is saved, with one text changed. */
function withText(
  { subject, previewText, emailTemplate, texts, newestVersion }: Translation,
  name: string,
  text: string,
) {
  const own = { subject: subject ?? '', previewText: previewText ?? '', emailTemplate: emailTemplate ?? '' };
  const end = name.indexOf('/');
  if (end < 0) return { ...own, texts: texts as Texts, newestVersion, [name]: text };
  const [blockId, field] = [name.slice(0, end), name.slice(end + 1)];
  const fields = (texts as Record<string, object>)[blockId];
  return { ...own, newestVersion, texts: { ...(texts as Texts), [blockId]: { ...fields, [field]: text } } };
}

/** In the language, or as a person gets it, whose language chooses. */
function Preview({ templateId, language }: Pick<One, 'templateId' | 'language'>) {
  const person = useSignal('');
  const who = person.value === '' ? { language } : { email: person.value };
  const mail = useQuery<TemplatePreview>(
    (signal) => api.templates.preview(templateId, { version: 'draft', ...who }, { signal }),
    [person.value],
  );
  return (
    <Section title="Preview">
      <PersonSearch person={person} />
      <Loaded query={mail}>{(found) => <p>{found.subject}</p>}</Loaded>
      <MailPreview mail={mail.data.value} isOld={mail.isLoading.value} />
    </Section>
  );
}
