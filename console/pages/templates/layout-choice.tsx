import { api } from '../../api.ts';
import { Select } from '../../parts/forms/field.tsx';
import type { Form } from '../../parts/forms/form.ts';
import { useQuery } from '../../parts/page/query.ts';

const LISTED_MAX = 100;

/** The layout around the mail; `layoutId` of the form is '' for none. */
export function LayoutChoice<V extends { layoutId: string }>({
  form,
  builderType,
  why,
}: {
  form: Form<V>;
  builderType: 'code' | 'editor';
  why: string | null | false;
}) {
  const found = useQuery(async (signal) => (await api.layouts.list({ limit: LISTED_MAX }, { signal })).layouts);
  const chosen = form.values.value.layoutId;
  const fitting = (found.data.value ?? []).filter(
    (one) => one.id === chosen || (one.builderType === builderType && one.publishedVersion !== null),
  );
  if (fitting.length === 0 && chosen === '') return null;
  const known = fitting.some(({ id }) => id === chosen) || chosen === '';
  return (
    <Select
      form={form as unknown as Form<{ layoutId: string }>}
      name="layoutId"
      label="Layout"
      why={why}
      options={[
        { value: '', label: 'None' },
        ...(known ? [] : [{ value: chosen, label: 'The chosen one' }]),
        ...fitting.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}
