import { useSignal } from '@preact/signals';
import type { Brand, BrandPreview, PreviewBrandBody } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { Button } from '../../../parts/forms/button.tsx';
import { Field, Select, TextArea } from '../../../parts/forms/field.tsx';
import { byHand, type Form, useForm } from '../../../parts/forms/form.ts';
import { useKeptDraft } from '../../../parts/forms/leaving.ts';
import { BothTexts, useConflict } from '../../../parts/forms/overtaken.tsx';
import { RestoredDraft } from '../../../parts/forms/restored.tsx';
import { UploadButton } from '../../../parts/forms/upload-button.tsx';
import { toast } from '../../../parts/over/toast.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { Notice } from '../../../parts/page/notice.tsx';
import { Page, Section } from '../../../parts/page/page.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import { can } from '../../../session.ts';
import { PublishDialog } from '../parts/publish-dialog.tsx';
import { Shelves } from '../shelves.tsx';
import { Colour } from './colour.tsx';
import { Sample } from './sample.tsx';
import { brandParts, COLOURS, changesOf, FONTS, type Values, valuesOf } from './values.ts';

/** Name, logo, colours and letters, which mails of blocks have by name. */
export default function BrandPage() {
  const brand = useQuery((signal) => api.brand.get({ signal }));
  const found = brand.data.value;
  if (found)
    return (
      <Editor
        brand={found}
        onSaved={(next) => {
          brand.data.value = next;
        }}
      />
    );
  return (
    <Page title="Brand">
      <Loaded query={brand}>{() => null}</Loaded>
    </Page>
  );
}

interface Asked {
  body: PreviewBrandBody;
  touched: BrandPreview;
}

function Editor({ brand, onSaved }: { brand: Brand; onSaved: (brand: Brand) => void }) {
  const form = useForm<Values>(valuesOf(brand));
  const kept = useKeptDraft(form, 'templates/brand', brand.updatedAt);
  const conflict = useConflict(kept, brand, () => api.brand.get());
  const before = valuesOf(conflict.base);
  const asked = useSignal<Asked | null>(null);
  const why = can('brand.update') ? null : 'Your role reads the brand.';
  const body = changesOf(before, form.values.value);
  const save = form.submit(async () => {
    const change = changesOf(before, form.values.peek());
    asked.value = { body: change, touched: await api.brand.preview(change) };
  });
  async function ask(): Promise<void> {
    // It was looked at, and is not stored before the dialog says so.
    if (await byHand(save)()) form.set('name', form.values.peek().name);
  }
  return (
    <Page
      title="Brand"
      note={form.isChanged.value && Object.keys(body).length > 0 && 'Changed, not saved'}
      actions={
        <Button
          kind="first"
          operation="brand.update"
          isBusy={form.isBusy.value}
          why={Object.keys(body).length === 0 && 'Nothing is changed.'}
          onClick={ask}
        >
          Save…
        </Button>
      }
    >
      <Shelves />
      <RestoredDraft draft={kept} />
      <BothTexts
        {...{ conflict, draft: kept, form, parts: brandParts, valuesOf }}
        onKeep={() => ask()}
        onTake={onSaved}
      />
      {form.failure.value && <Notice kind="bad" title={form.failure.value} />}
      <Names form={form} why={why} />
      <Section title="Colours" note="mails of blocks name them, and public pages have the main one" hasRule>
        <div class="cols near">
          {COLOURS.map((one) => (
            <div key={one.name} class="c3">
              <Colour {...{ ...one, form, why }} />
            </div>
          ))}
        </div>
        <Sample values={form.values.value} />
      </Section>
      <Letters form={form} why={why} />
      {asked.value && (
        <Publish
          asked={asked.value}
          store={(change) => conflict.save(() => api.brand.update({ ...change, updatedAt: conflict.base.updatedAt }))}
          onRefused={() => {
            if (conflict.newest.peek()) asked.value = null;
          }}
          onSaved={(saved) => {
            form.reset(valuesOf(saved));
            onSaved(saved);
            toast('Saved the brand', { kind: 'good' });
          }}
          onClose={() => {
            asked.value = null;
          }}
        />
      )}
    </Page>
  );
}

function Publish({
  asked,
  store,
  onRefused,
  onSaved,
  onClose,
}: {
  asked: Asked;
  store: (change: PreviewBrandBody) => Promise<Brand>;
  /** The page shows both versions, when there are two. */
  onRefused: () => void;
  onSaved: (brand: Brand) => void;
  onClose: () => void;
}) {
  return (
    <PublishDialog
      title="Save the brand"
      touched={async () => asked.touched}
      all={{ brand: true }}
      store={async () => onSaved(await store(asked.body))}
      onPublished={async () => undefined}
      onRefused={onRefused}
      onClose={onClose}
    />
  );
}

interface Part {
  form: Form<Values>;
  why: string | null;
}

function Names({ form, why }: Part) {
  return (
    <Section title="Who writes">
      <div class="cols near">
        <div class="c4">
          <Field form={form} name="name" label="Name" autocomplete="off" hint="As people know you." why={why} />
        </div>
        <div class="stack c4">
          <Field form={form} name="logoUrl" label="Logo" type="url" autocomplete="off" why={why} />
          {why === null && (
            <div>
              <UploadButton
                label="Upload a picture"
                next="save to use it"
                onUploaded={({ url }) => form.set('logoUrl', url)}
              />
            </div>
          )}
        </div>
        <div class="c4">
          <TextArea form={form} name="postalAddress" label="Postal address" rows={3} why={why} />
        </div>
      </div>
    </Section>
  );
}

function Letters({ form, why }: Part) {
  return (
    <Section title="Letters" hasRule>
      <div class="cols near">
        <div class="c4">
          <Select form={form} name="font" label="Letters" options={FONTS} why={why} />
        </div>
        <div class="c4">
          <Field
            form={form}
            name="families"
            label="Fonts of your own"
            autocomplete="off"
            placeholder="Inter, Georgia"
            hint="Before the others, where a mail program has them."
            why={why}
          />
        </div>
      </div>
    </Section>
  );
}
