import type { Form as SavedForm } from '../../../client/index.ts';
import { Code, Mono } from '../../parts/data/details.tsx';
import { TextArea } from '../../parts/forms/field.tsx';
import type { Form } from '../../parts/forms/form.ts';
import { Notice } from '../../parts/page/notice.tsx';
import { Section } from '../../parts/page/page.tsx';
import { whyReadOnly } from './choices.ts';
import type { Draft } from './draft.ts';

/** How people find the form: its address, and what to put into a page of a site. */
export function Embed({
  form,
  saved,
  isReadOnly,
}: {
  form: Form<Draft>;
  saved: SavedForm | null;
  isReadOnly: boolean;
}) {
  return (
    <Section title="On your site" hasRule>
      <TextArea
        form={form}
        name="allowedOrigins"
        label="Sites that may show it or send it, one a line"
        rows={3}
        isMono
        placeholder="https://harbour.example"
        hint="Nothing is needed for a link to its page."
        why={isReadOnly && whyReadOnly}
      />
      {saved ? (
        <>
          {!saved.isActive && (
            <Notice title="It is not public yet">
              Activate it before you link to it: until then its page is not there.
            </Notice>
          )}
          <div class="field">
            <span class="label">A link to its page</span>
            <Mono text={saved.url} what="the address" />
          </div>
          <div class="field">
            <span class="label">Its page in a frame</span>
            <Code text={saved.embed.iframe} label="The code of the frame" what="the code of the frame" />
          </div>
          <div class="field">
            <span class="label">A plain form, for the style of your page</span>
            <Code text={saved.embed.html} label="The code of the form" what="the code of the form" />
          </div>
        </>
      ) : (
        <p class="sub">Its address, and code for your pages, are here when it is saved.</p>
      )}
    </Section>
  );
}
