import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Template, Translations } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { Badge } from '../../../parts/data/state.tsx';
import { Button } from '../../../parts/forms/button.tsx';
import { save as saveFile } from '../../../parts/forms/download.ts';
import { FileButton } from '../../../parts/forms/upload-button.tsx';
import { toast, toastError } from '../../../parts/over/toast.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { Notice } from '../../../parts/page/notice.tsx';
import { Page } from '../../../parts/page/page.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import { Tabs } from '../../../parts/page/tabs.tsx';
import { place, setQuery } from '../../../router.ts';
import { can } from '../../../session.ts';
import { toEdit } from '../calls.ts';
import { hasDraft } from '../drafts.tsx';
import { callsOfTemplate } from '../head.tsx';
import { RefusedNotice } from '../refused.tsx';
import { nameOf } from './texts.ts';
import { useUnsaved } from './unsaved.ts';
import { OneLanguage } from './words.tsx';

/** The languages of a template: its own words on the left, those of a language on the right, saved as the draft. */
export default function LanguagesPage({ params }: { params: Record<string, string> }) {
  const id = params.templateId ?? '';
  const template = useQuery((signal) => toEdit(callsOfTemplate(id), signal), [id]);
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
  const reload = async () => {
    list.value = await api.templates.translations(templateId);
  };
  const unsaved = useUnsaved();
  const imports = useSignal(0);
  const importTable = async (file: File) => {
    list.value = await unsaved.next(() => api.templates.importTranslations(templateId, file));
    imports.value += 1;
    toast(`Imported ${file.name} into the draft`, { kind: 'good' });
  };
  const isDraft = draftVersion !== null && draftVersion === newestVersion;
  const refused = useSignal<unknown>(null);
  /** With the word that was left last, which is still being saved. */
  const publish = () =>
    unsaved.next(async () => {
      refused.value = null;
      if (unsaved.isChanged.peek()) return toast('Not published: a word is not saved yet.', { kind: 'bad' });
      const { newestVersion: version } = list.peek();
      try {
        await api.templates.publish(templateId, { version });
      } catch (error) {
        refused.value = error;
        return;
      }
      await reload();
      toast(`Published version ${version} of ${template.templateName}`, { kind: 'good' });
    });
  return (
    <Page
      title="Languages"
      crumb={crumb}
      state={isDraft && <Badge tone="info">Draft, not published</Badge>}
      note={unsaved.isChanged.value && 'Changed, not saved'}
      actions={
        <>
          <Button onClick={() => saveFile(api.templates.exportTranslations(templateId), 'translations.csv')}>
            Export
          </Button>
          <FileButton
            label="Import"
            name="Table of translations"
            accept=".csv,text/csv"
            operation="templates.importTranslations"
            onFile={importTable}
          />
          {can('templates.publish') && (
            <Button kind="first" why={!isDraft && 'There is no draft to publish.'} onClick={publish}>
              Publish
            </Button>
          )}
        </>
      }
    >
      {refused.value !== null && (
        <RefusedNotice
          refused={{ error: refused.value, act: 'published' }}
          known={{ parts: {}, content: template.editorJson, templateId, layoutId: template.layoutId, ways: {} }}
        />
      )}
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
      {language && (
        <OneLanguage key={language} {...{ templateId, language, unsaved }} imports={imports.value} onSaved={reload} />
      )}
    </Page>
  );
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
