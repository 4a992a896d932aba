import { computed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { PreviewFormBody } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Choose } from '../../parts/forms/choices.tsx';
import { type Form, sentenceOf } from '../../parts/forms/form.ts';
import { FilterSelect } from '../../parts/forms/search-box.tsx';
import { Notice } from '../../parts/page/notice.tsx';
import { Section } from '../../parts/page/page.tsx';
import { usePreview } from '../../parts/page/preview.ts';
import { type Draft, shownOf } from './draft.ts';

type View = NonNullable<PreviewFormBody['page']>;

const views: readonly { value: View; label: string }[] = [
  { value: 'form', label: 'Form' },
  { value: 'submitted', label: 'Sent' },
  { value: 'confirm', label: 'Confirm' },
  { value: 'confirmed', label: 'Confirmed' },
];
const languages: readonly { value: string; label: string }[] = [
  { value: 'en', label: 'English' },
  { value: 'de', label: 'Deutsch' },
  { value: 'fr', label: 'Français' },
  { value: 'es', label: 'Español' },
  { value: 'it', label: 'Italiano' },
];

/** The pages of the form as people will see them, in a frame without scripts and without an origin. */
export function FormLook({ form }: { form: Form<Draft> }) {
  const view = useSignal<View>('form');
  const lang = useSignal('en');
  const isDark = useSignal(false);
  const draft = useMemo(
    () =>
      computed<PreviewFormBody>(() => ({
        ...shownOf(form.values.value),
        page: view.value,
        lang: lang.value,
      })),
    [form],
  );
  const { answer, error, isOld } = usePreview(draft, (body, signal) => api.forms.preview(body, { signal }));
  const { doubleOptIn } = form.values.value;
  const shown = answer.value;
  return (
    <Section title="As people see it">
      <div class="row wrap">
        <Choose
          label="Page"
          value={view.value}
          options={views.map((one) => ({ ...one, isDisabled: !doubleOptIn && one.value.startsWith('confirm') }))}
          onChange={(value) => {
            view.value = value as View;
          }}
        />
        <Choose
          label="Theme"
          value={isDark.value ? 'dark' : 'light'}
          options={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          onChange={(value) => {
            isDark.value = value === 'dark';
          }}
        />
        <FilterSelect
          label="Language"
          value={lang.value}
          options={languages}
          onChange={(value) => {
            lang.value = value;
          }}
        />
      </div>
      {error.value !== null && (
        <Notice kind="warn" title="The page could not be shown">
          {sentenceOf(error.value)}
        </Notice>
      )}
      {shown && (
        <figure class={`mail form-look${isDark.value ? ' dark' : ''}${isOld.value ? ' old' : ''}`}>
          <iframe
            key={isDark.value}
            title="The page of the form"
            src={new URL(shown.previewUrl, location.origin).pathname}
            sandbox=""
          />
        </figure>
      )}
    </Section>
  );
}
