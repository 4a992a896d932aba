import type { CustomField, Form } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Mono, Pairs } from '../../parts/data/details.tsx';
import { count } from '../../parts/data/format.ts';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { confirm } from '../../parts/over/confirm.tsx';
import { Drawer } from '../../parts/over/drawer.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { setQuery, to } from '../../router.ts';
import { labelOf, typeWords } from '../contacts/field-names.ts';
import { isInCriteria } from './field-uses.ts';

/** A project has at most so many segments. */
const SEGMENTS_MAX = 100;

interface Uses {
  people: number | null;
  about: number | null;
  segments: readonly { id: string; name: string }[];
  forms: readonly { id: string; name: string }[];
}

/** One field: who has it, and what names it. */
export function FieldDrawer({
  fieldId,
  onChange,
  onGone,
}: {
  fieldId: string;
  onChange: (field: CustomField) => void;
  onGone: () => unknown;
}) {
  const field = useQuery((signal) => api.customFields.get(fieldId, { signal }), [fieldId]);
  const found = field.data.value;
  const close = () => setQuery({ field: null }, { push: true });

  async function remove(field: CustomField): Promise<void> {
    const done = await confirm({
      title: `Delete ${labelOf(field)}`,
      text: 'Contacts keep their values, which have no type any more and are not offered in filters.',
      action: 'Delete field',
      isDangerous: true,
      run: () => api.customFields.delete(field.id),
    });
    if (!done) return;
    close();
    toast(`Deleted ${labelOf(field)}`);
    await onGone();
  }
  return (
    <Drawer
      title={found ? labelOf(found) : 'Field'}
      under={found && <span class="dim">{typeWords[found.fieldType]}</span>}
      onClose={close}
    >
      <Loaded query={field}>
        {(one) => (
          <div class="stack">
            <div class="row wrap">
              <Button operation="customFields.update" onClick={() => onChange(one)}>
                Change
              </Button>
              <Button kind="danger" operation="customFields.delete" onClick={() => remove(one)}>
                Delete…
              </Button>
            </div>
            <Pairs
              pairs={[
                ['In a mail', <Mono key="mail" text={`{{contactProperties.${one.fieldName}}}`} what="the variable" />],
                ['Name', <Mono key="name" text={one.fieldName} what="the name" />],
                ['Description', one.description],
                ['Of new contacts', one.defaultValue === null ? null : String(one.defaultValue)],
                ['Made', <Time key="made" at={one.createdAt} />],
                ['Changed', <Time key="changed" at={one.updatedAt} />],
              ]}
            />
            <UsesOf field={one} />
          </div>
        )}
      </Loaded>
    </Drawer>
  );
}

function UsesOf({ field }: { field: CustomField }) {
  const uses = useQuery((signal) => usesOf(field, signal), [field.fieldName]);
  return (
    <Loaded query={uses}>
      {({ people, about, segments, forms }) => (
        <>
          <h3>Where it is used</h3>
          <Pairs
            pairs={[
              [
                'People who have it',
                people !== null ? count(people) : about !== null ? `about ${count(about)}` : 'many',
              ],
              ['Segments', <Links key="segments" things={segments} path="/lists" />],
              ['Forms', <Links key="forms" things={forms} path="/forms" />],
            ]}
          />
        </>
      )}
    </Loaded>
  );
}

function Links({ things, path }: { things: Uses['segments']; path: '/lists' | '/forms' }) {
  if (things.length === 0) return <span class="dim">none</span>;
  return (
    <ul class="plain">
      {things.map(({ id, name }) => (
        <li key={id}>
          <a class="link" href={to(`${path}/${id}`)}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

async function usesOf({ fieldName }: CustomField, signal: AbortSignal): Promise<Uses> {
  const field = `contactProperties.${fieldName}`;
  const isSet = { logicalOperator: 'AND', groups: [{ field, operator: 'is_not_empty', fieldType: 'string' }] };
  const [having, { lists }, forms] = await Promise.all([
    api.contactLists.preview({ filterCriteria: isSet }, { signal }),
    api.contactLists.list({ type: 'segment', limit: SEGMENTS_MAX }, { signal }),
    allForms(signal),
  ]);
  return {
    people: having.count,
    about: having.estimate,
    segments: lists.filter(({ filterCriteria }) => isInCriteria(filterCriteria, fieldName)),
    forms: forms.filter(({ fields }) => fields.some(({ name }) => name === fieldName)),
  };
}

async function allForms(signal: AbortSignal): Promise<Form[]> {
  const forms: Form[] = [];
  for await (const form of api.forms.list({ limit: 100 }, { signal })) forms.push(form);
  return forms;
}
