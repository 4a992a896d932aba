import { computed, type ReadonlySignal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { PreviewDraftBody, Template, TemplatePreview } from '../../../client/index.ts';
import { Choose } from '../../parts/forms/choices.tsx';
import { MailFrame } from '../../parts/mail/mail-preview.tsx';
import { useDraftPreview } from '../../parts/mail/use-preview.ts';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Section } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import type { Calls, Opened } from './calls.ts';
import { diff, groupsOf, type Line } from './lines.ts';

/** The part of a version that the editor changes. */
export type Content = Pick<Template, 'subject' | 'previewText' | 'emailTemplate'>;

/** A version and the text of the editor: as both mails, or as the lines that differ. */
export function Compare<T extends Opened>({
  calls,
  publishedVersion,
  version,
  contentOf,
  content,
  mail,
  person,
  about,
}: {
  calls: Calls<T>;
  publishedVersion: number | null;
  version: number;
  contentOf: (saved: T) => Content;
  /** As it is typed; null while it is compiled. */
  content: Content | null;
  /** The mail of the text that is typed. */
  mail: TemplatePreview | null;
  person: ReadonlySignal<string>;
  /** Needed by the previews of both. */
  about: Omit<PreviewDraftBody, 'emailTemplate'>;
}) {
  const look = useSignal<'picture' | 'lines'>('picture');
  const found = useQuery(
    async (signal) => contentOf(await calls.get({ version: String(version) }, signal)),
    [calls.path, version],
  );
  const name = version === publishedVersion ? `Version ${version}, published` : `Version ${version}`;
  return (
    <Section
      title="What changed"
      note={`${name}, and the editor`}
      hasRule
      aside={
        <Choose
          label="Compare as"
          value={look.value}
          options={[
            { value: 'picture', label: 'Picture' },
            { value: 'lines', label: 'Lines' },
          ]}
          onChange={(value) => {
            look.value = value === 'lines' ? 'lines' : 'picture';
          }}
        />
      }
    >
      <Loaded query={found}>
        {(before) => {
          if (!content) return <p class="dim">The mail in the editor is not ready yet.</p>;
          if (isSame(before, content)) return <p class="dim">Nothing differs.</p>;
          if (look.value === 'lines') return <Lines before={before} after={content} />;
          return <Pictures key={version} before={before} about={about} person={person} name={name} mail={mail} />;
        }}
      </Loaded>
    </Section>
  );
}

export function isSame(one: Content, other: Content): boolean {
  return (
    one.subject === other.subject && one.previewText === other.previewText && one.emailTemplate === other.emailTemplate
  );
}

function Pictures({
  before,
  about,
  person,
  name,
  mail,
}: {
  before: Content;
  about: Omit<PreviewDraftBody, 'emailTemplate'>;
  person: ReadonlySignal<string>;
  name: string;
  mail: TemplatePreview | null;
}) {
  const draft = useMemo(
    () =>
      computed<PreviewDraftBody>(() => {
        const { emailTemplate, subject, previewText } = before;
        const { value: email } = person;
        return { ...about, emailTemplate, subject, previewText, ...(email && { email }) };
      }),
    [before, person],
  );
  const { mail: earlier } = useDraftPreview(draft);
  return (
    <div class="two-mails">
      <MailFrame mail={earlier.value} caption={name} title={name} />
      <MailFrame mail={mail} caption="In the editor" title="The editor" />
    </div>
  );
}

const names = { subject: 'Subject', previewText: 'Preview text', emailTemplate: 'Code' } as const;

function Lines({ before, after }: { before: Content; after: Content }) {
  const parts = (['subject', 'previewText', 'emailTemplate'] as const).filter((name) => before[name] !== after[name]);
  return (
    <div class="stack">
      {parts.map((name) => (
        <LinesOf key={name} name={names[name]} before={before[name]} after={after[name]} />
      ))}
    </div>
  );
}

function LinesOf({ name, before, after }: { name: string; before: string; after: string }) {
  const groups = useMemo(() => groupsOf(diff(before, after)), [before, after]);
  return (
    <section class="stack tight" aria-label={`Changed lines of ${name}`}>
      <h3>{name}</h3>
      <div class="diff" tabIndex={0} role="group" aria-label={name}>
        {groups.map((lines, index) => (
          <ol key={index}>
            {lines.map((line) => (
              <LineRow key={`${line.before}-${line.after}`} line={line} />
            ))}
          </ol>
        ))}
      </div>
    </section>
  );
}

function LineRow({ line: { kind, text, before, after } }: { line: Line }) {
  return (
    <li class={kind}>
      <span class="at">{before}</span>
      <span class="at">{after}</span>
      <span class="sign" aria-hidden="true">
        {{ same: '', removed: '−', added: '+' }[kind]}
      </span>
      {kind === 'removed' ? <del>{text}</del> : kind === 'added' ? <ins>{text}</ins> : <span>{text}</span>}
    </li>
  );
}
