import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { TemplatePreview, Translation } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { Badge } from '../../../parts/data/state.tsx';
import { Button } from '../../../parts/forms/button.tsx';
import { MailPreview } from '../../../parts/mail/mail-preview.tsx';
import { PersonSearch } from '../../../parts/mail/person-search.tsx';
import { confirm } from '../../../parts/over/confirm.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { Section } from '../../../parts/page/page.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import { can } from '../../../session.ts';
import { WHY_READ_ONLY } from '../drafts.tsx';
import { savingOf } from './saving.ts';
import { hasBlocks, labelOf, nameOf, textOf } from './texts.ts';
import type { Unsaved, UnsavedWords } from './unsaved.ts';

interface One {
  templateId: string;
  language: string;
  unsaved: UnsavedWords;
  onSaved: () => Promise<void>;
}

/** `imports` counts the tables that were taken: each brings other words. */
export function OneLanguage({ imports, ...one }: One & { imports: number }) {
  const { templateId, language } = one;
  const read = (signal: AbortSignal) => api.templates.translation(templateId, language, {}, { signal });
  const found = useQuery(read, [language, imports]);
  return <Loaded query={found}>{() => <Words translation={found.data as Signal<Translation>} {...one} />}</Loaded>;
}

/** A field that is left is saved. */
function Words(props: One & { translation: Signal<Translation> }) {
  const { translation, templateId, language, unsaved } = props;
  const { bases, missing, outdated, version } = translation.value;
  const saving = savingOf(props);
  const typed = unsaved.of(language);
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
              typed={typed.get(name)}
              saving={saving}
              state={outdated.includes(name) ? 'outdated' : missing.includes(name) ? 'missing' : null}
            />
          ))}
        </ul>
        <Button kind="danger" operation="templates.deleteTranslation" onClick={() => remove(props)}>
          Remove {nameOf(language)}…
        </Button>
      </Section>
      <Preview {...{ templateId, language, version }} />
    </>
  );
}

function remove({ templateId, language, unsaved, onSaved }: One) {
  return confirm({
    title: `Remove ${nameOf(language)}`,
    text: 'Its words leave the draft. Versions that were published keep them.',
    action: 'Remove it',
    run: async () => {
      await api.templates.deleteTranslation(templateId, language);
      unsaved.of(language).dropAll();
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
  typed: Unsaved | undefined;
  saving: ReturnType<typeof savingOf>;
  state: 'missing' | 'outdated' | null;
}

function Word({ name, base, isOptional, language, text, typed, saving, state }: WordProps) {
  const id = useId();
  const why = typed?.why;
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
          aria-invalid={why ? true : undefined}
          aria-describedby={why ? `${id}-why` : undefined}
          value={typed?.text ?? text}
          onInput={({ currentTarget }) => saving.type(name, currentTarget.value)}
          onBlur={() => saving.leave(name)}
        />
        {why && (
          <span id={`${id}-why`} class="hint t-bad">
            Not saved: {why}
          </span>
        )}
        {state === 'missing' && <Badge tone="warn">Missing</Badge>}
        {state === 'outdated' && (
          <span>
            <Badge tone="warn">Older than the template</Badge>{' '}
            <Button isSmall operation="templates.translate" onClick={() => saving.review(name)}>
              Still right
            </Button>
          </span>
        )}
      </div>
    </li>
  );
}

/** In the language, or as a person gets it, whose language chooses. */
function Preview({ templateId, language, version }: Pick<One, 'templateId' | 'language'> & { version: number | null }) {
  const person = useSignal('');
  const who = person.value === '' ? { language } : { email: person.value };
  const mail = useQuery<TemplatePreview>(
    (signal) => api.templates.preview(templateId, { version: 'draft', ...who }, { signal }),
    [person.value, version],
  );
  return (
    <Section title="Preview">
      <PersonSearch person={person} />
      <Loaded query={mail}>{(found) => <p>{found.subject}</p>}</Loaded>
      <MailPreview mail={mail.data.value} isOld={mail.isLoading.value} />
    </Section>
  );
}
