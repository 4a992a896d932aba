import { Select } from '../../parts/forms/field.tsx';
import type { Form } from '../../parts/forms/form.ts';
import { snippetNames } from '../../parts/mail/snippets.ts';
import { useQuery } from '../../parts/page/query.ts';
import type { Texts } from './linked.ts';

/** The published snippets of content blocks. */
export function SnippetChoice({
  form,
  name,
  label,
  why,
}: {
  form: Form<Texts>;
  name: string;
  label: string;
  why: string | null;
}) {
  const names = useQuery((signal) => snippetNames('editor', signal)).data.value ?? [];
  const chosen = form.values.value[name] ?? '';
  const offered = names.includes(chosen) ? names : [chosen, ...names];
  return (
    <Select
      {...{ form, name, label, why }}
      hint={
        names.length === 0 ? 'There is no published snippet of blocks yet; make one under Templates, Snippets.' : ''
      }
      options={offered.map((value) => ({ value, label: value }))}
    />
  );
}
