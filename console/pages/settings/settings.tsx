import type { Project } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { zonesWith } from '../../locale.ts';
import { COLOUR } from '../../parts/data/colours.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Checkbox, Options } from '../../parts/forms/choices.tsx';
import { Field, Select, TextArea } from '../../parts/forms/field.tsx';
import { byHand, type Form, useForm } from '../../parts/forms/form.ts';
import { useKeptDraft } from '../../parts/forms/leaving.ts';
import { BothTexts, useConflict } from '../../parts/forms/overtaken.tsx';
import { RestoredDraft } from '../../parts/forms/restored.tsx';
import { UploadButton } from '../../parts/forms/upload-button.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Notice } from '../../parts/page/notice.tsx';
import { Columns, Page, Section } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { to } from '../../router.ts';
import { can, current, loadSession } from '../../session.ts';
import { changesOf, type Draft, draftOf, parts, whyReadOnly } from './draft.ts';
import { Frequency } from './frequency.tsx';
import { LookSample } from './look-sample.tsx';
import { SettingsPages } from './pages.tsx';

/** The project: how its pages and mails to people look, and how it keeps what they agree to. */
export default function Settings() {
  const projectId = current.value?.project.id ?? '';
  const project = useQuery((signal) => api.projects.get(projectId, { signal }), [projectId]);
  const found = project.data.value;
  if (found)
    return (
      <Editor
        project={found}
        onSaved={(next) => {
          project.data.value = next;
        }}
      />
    );
  return (
    <Page title="Settings">
      <SettingsPages />
      <Loaded query={project}>{() => null}</Loaded>
    </Page>
  );
}

function Editor({ project, onSaved }: { project: Project; onSaved: (project: Project) => void }) {
  const form = useForm<Draft>(draftOf(project));
  const kept = useKeptDraft(form, 'settings', project.updatedAt);
  const conflict = useConflict(kept, project, () => api.projects.get(project.id));
  const isReadOnly = !can('projects.update');
  const save = form.submit(async (draft) => {
    const { base } = conflict;
    const body = { ...changesOf(base, draft), updatedAt: base.updatedAt };
    const saved = await conflict.save(() => api.projects.update(project.id, body));
    form.take(draft, draftOf(saved));
    onSaved(saved);
    toast('Saved', { kind: 'good' });
    if (saved.name !== project.name) await loadSession();
  });
  return (
    <Page
      title="Settings"
      note={form.isChanged.value && 'Changed, not saved'}
      actions={
        <Button kind="first" operation="projects.update" isBusy={form.isBusy.value} onClick={byHand(save)}>
          Save
        </Button>
      }
    >
      <SettingsPages />
      <RestoredDraft draft={kept} />
      <BothTexts
        {...{ conflict, draft: kept, form, parts, valuesOf: draftOf }}
        onKeep={byHand(save)}
        onTake={onSaved}
      />
      {!conflict.newest.value && form.failure.value && <Notice kind="bad" title={form.failure.value} />}
      <Names form={form} isReadOnly={isReadOnly} />
      <Looks form={form} project={project} isReadOnly={isReadOnly} />
      <Columns hasRule>
        <Sender form={form} project={project} isReadOnly={isReadOnly} />
        <Privacy form={form} isReadOnly={isReadOnly} />
      </Columns>
      <Zones form={form} isReadOnly={isReadOnly} />
      <Frequency form={form} isReadOnly={isReadOnly} />
      <Signatures form={form} isReadOnly={isReadOnly} />
      <Sandbox form={form} isReadOnly={isReadOnly} />
    </Page>
  );
}

interface Part {
  form: Form<Draft>;
  isReadOnly: boolean;
}

function Names({ form, isReadOnly }: Part) {
  const why = isReadOnly && whyReadOnly;
  return (
    <Section title="The project">
      <div class="cols near">
        <div class="c4">
          <Field
            form={form}
            name="name"
            label="Name"
            autocomplete="off"
            hint="For you, in the console and for programs."
            why={why}
          />
        </div>
        <div class="c4">
          <Checkbox
            form={form}
            name="trackingOpen"
            label="Count opens"
            hint="Where a mail says nothing else."
            isDisabled={isReadOnly}
          />
        </div>
        <div class="c4">
          <Checkbox
            form={form}
            name="trackingClick"
            label="Count clicks"
            hint="Links lead over this server then."
            isDisabled={isReadOnly}
          />
        </div>
      </div>
    </Section>
  );
}

function Looks({ form, project, isReadOnly }: Part & { project: Project }) {
  const why = isReadOnly && whyReadOnly;
  const { color } = form.values.value;
  return (
    <Section
      title="What people see"
      note="on forms, confirmations, and the pages to unsubscribe and to choose"
      hasRule
      aside={
        <a class="link small" href={to('/forms')}>
          Forms
        </a>
      }
    >
      <div class="cols near">
        <div class="stack c6">
          <Field
            form={form}
            name="publicName"
            label="Public name"
            autocomplete="off"
            placeholder={project.name}
            hint="Who writes to them, as they know you."
            why={why}
          />
          <Field
            form={form}
            name="logoUrl"
            label="Logo"
            type="url"
            autocomplete="off"
            placeholder="https://harbour.example/logo.png"
            hint="The https address of a picture. Without one the public name is shown."
            why={why}
          />
          {!isReadOnly && (
            <div>
              <UploadButton
                label="Upload a picture"
                next="save to show it"
                onUploaded={({ url }) => form.set('logoUrl', url)}
              />
            </div>
          )}
          <TextArea
            form={form}
            name="postalAddress"
            label="Postal address"
            rows={4}
            hint="At the end of each page. Many countries ask for it."
            why={why}
          />
        </div>
        <div class="stack c6">
          <div class="row colour">
            <Field
              form={form}
              name="color"
              label="Colour"
              isMono
              autocomplete="off"
              placeholder={COLOUR}
              hint="Of buttons and links."
              why={why}
            />
            <input
              class="in fit"
              type="color"
              aria-label="Pick the colour"
              value={/^#[0-9a-f]{6}$/i.test(color) ? color : COLOUR}
              disabled={isReadOnly}
              onInput={(event) => form.set('color', event.currentTarget.value)}
            />
          </div>
          <LookSample color={color} />
        </div>
      </div>
    </Section>
  );
}

function Sender({ form, project, isReadOnly }: Part & { project: Project }) {
  const why = isReadOnly && whyReadOnly;
  return (
    <Section title="Sender of confirmations" span={6}>
      <Field
        form={form}
        name="publicFrom/email"
        label="Address"
        type="email"
        autocomplete="off"
        placeholder={project.domain ? `no-reply@${project.domain}` : 'no-reply@ your first verified domain'}
        hint="On a verified domain. Mails that confirm a subscription or lead to a person's data come from it."
        why={why}
      />
      <Field form={form} name="publicFrom/name" label="Name shown" autocomplete="off" why={why} />
    </Section>
  );
}

function Privacy({ form, isReadOnly }: Part) {
  const kept = [
    { value: 'shortened', label: 'Its network', hint: 'Such as 203.0.113.0/24, which names no person.' },
    { value: 'full', label: 'All of it', hint: 'Where the law asks for it.' },
    { value: 'none', label: 'None of it' },
  ];
  return (
    <Section title="Language and consent" span={6}>
      <Field
        form={form}
        name="languageProperty"
        label="Property with the language of a person"
        isMono
        autocomplete="off"
        placeholder="language"
        hint="A custom field with de, fr-CA and so on. Without a value pages are in the language of the browser."
        why={isReadOnly && whyReadOnly}
      />
      <Options
        form={form}
        name="consentAddress"
        label="What a consent keeps of the address on the network"
        options={kept.map((option) => ({ ...option, isDisabled: isReadOnly }))}
      />
    </Section>
  );
}

function Zones({ form, isReadOnly }: Part) {
  const why = isReadOnly && whyReadOnly;
  return (
    <Section title="Time zones" note="for automations that wait until a time of day" hasRule>
      <div class="cols near">
        <div class="c6">
          <Select
            form={form}
            name="timezone"
            label="Time zone of the project"
            hint="Also of people who have none."
            options={zonesWith(form.values.value.timezone)}
            why={why}
          />
        </div>
        <div class="c6">
          <Field
            form={form}
            name="timezoneProperty"
            label="Property with the time zone of a person"
            isMono
            autocomplete="off"
            placeholder="none"
            hint="A custom field with Europe/Berlin and so on. Without one everybody is in the zone of the project."
            why={why}
          />
        </div>
      </div>
    </Section>
  );
}

function Signatures({ form, isReadOnly }: Part) {
  const kept = [
    {
      value: 'rsa-sha256,ed25519-sha256',
      label: 'RSA and Ed25519',
      hint: 'Each receiver verifies the one that it knows.',
    },
    { value: 'rsa-sha256', label: 'RSA alone', hint: 'Every receiver verifies it.' },
    {
      value: 'ed25519-sha256',
      label: 'Ed25519 alone',
      hint: 'The fastest to sign. Many receivers do not verify it, and treat such mail as unsigned.',
    },
  ];
  return (
    <Section title="Signatures" note="for domains whose mail Everpost signs" hasRule>
      <Options
        form={form}
        name="dkimAlgorithms"
        label="How mail is signed"
        options={kept.map((option) => ({ ...option, isDisabled: isReadOnly }))}
      />
    </Section>
  );
}

function Sandbox({ form, isReadOnly }: Part) {
  return (
    <Section title="Sandbox addresses" note="for tests of what follows from a mail" hasRule>
      <p class="sub">
        <code>delivered@</code>, <code>bounced@</code>, <code>complained@</code>, <code>deferred@</code> and{' '}
        <code>suppressed@sandbox.everpost.test</code> behave as their name says. With anything after a +, such as{' '}
        <code>bounced+signup@</code>, each test has an address of its own.
      </p>
      <div class="cols near">
        <div class="c6">
          <Checkbox
            form={form}
            name="sandboxAddresses"
            label="Answer mail to them"
            hint="It reaches no relay. Otherwise such mail is refused, unless the relay is a mailbox."
            isDisabled={isReadOnly}
          />
        </div>
        <div class="c6">
          <Checkbox
            form={form}
            name="sandboxSuppressions"
            label="Let them be suppressed"
            hint="After a bounce or a complaint the address stays on the list, as any other does."
            isDisabled={isReadOnly}
          />
        </div>
      </div>
    </Section>
  );
}
