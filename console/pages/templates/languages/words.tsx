import { type Signal, useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { TemplatePreview, Translation } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { Badge } from '../../../parts/data/state.tsx';
import { Button } from '../../../parts/forms/button.tsx';
import { MailPreview } from '../../../parts/mail/mail-preview.tsx';
import { PersonSearch } from '../../../parts/mail/person-search.tsx';
import { confirm } from '../../../parts/over/confirm.tsx';
import { toastError } from '../../../parts/over/toast.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { Section } from '../../../parts/page/page.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import { can } from '../../../session.ts';
import { WHY_READ_ONLY } from '../drafts.tsx';
import { hasBlocks, labelOf, nameOf, textOf, withText } from './texts.ts';

interface One {
  templateId: string;
  language: string;
  onSaved: () => Promise<void>;
}

export function OneLanguage({ templateId, language, onSaved }: One) {
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
      <Preview {...{ templateId, language, version }} />
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
  /** As it was shown or sent: what is typed since stays when an answer arrives. */
  const given = useRef(text);
  const id = useId();
  useLayoutEffect(() => {
    if (typed.peek() === given.current) typed.value = text;
    given.current = text;
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
            if (typed.peek() === text) return;
            given.current = typed.peek();
            void onSave(given.current);
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
