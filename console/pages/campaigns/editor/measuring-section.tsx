import { Select } from '../../../parts/forms/field.tsx';
import type { Form } from '../../../parts/forms/form.ts';
import type { Parts } from '../../../parts/forms/overtaken.tsx';
import { UtmFields } from '../../../parts/forms/utm-fields.tsx';
import { Section } from '../../../parts/page/page.tsx';
import type { Draft } from './draft.ts';
import type { Measuring } from './measuring.ts';

const tracked = { yes: 'Counted', no: 'Not counted' };
const trackedByProject = { project: 'As the settings of the project say', ...tracked };
const thresholds = {
  conservative: 'above 2 % bounced or 0.05 % reported as spam',
  balanced: 'above 5 % bounced or 0.1 % reported as spam',
  aggressive: 'above 8 % bounced or 0.3 % reported as spam',
};
const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** For two versions next to each other. */
export const measuringParts: Parts<Measuring> = {
  trackingOpen: { label: 'Opens', text: (value) => trackedByProject[value] },
  trackingClick: { label: 'Clicks', text: (value) => trackedByProject[value] },
  thresholdPreset: { label: 'It pauses by itself', text: (value) => thresholds[value] },
  'utm/source': 'UTM source',
  'utm/medium': 'UTM medium',
  'utm/campaign': 'UTM campaign',
  'utm/term': 'UTM term',
  'utm/content': 'UTM content',
};

/** Opens and clicks, the thresholds that pause the campaign, and UTM parameters. */
export function MeasuringSection({ form, isReadOnly }: { form: Form<Draft>; isReadOnly: boolean }) {
  const why = isReadOnly && 'Your role only reads.';
  const { trackingOpen, trackingClick } = form.values.value;
  const choices = (value: string) => optionsOf(value === 'project' ? trackedByProject : tracked);
  return (
    <Section title="Measuring" hasRule>
      <div class="cols near">
        <div class="c4">
          <Select form={form} name="trackingOpen" label="Opens" why={why} options={choices(trackingOpen)} />
        </div>
        <div class="c4">
          <Select
            form={form}
            name="trackingClick"
            label="Clicks"
            hint="Links lead over this server then."
            why={why}
            options={choices(trackingClick)}
          />
        </div>
        <div class="c4">
          <Select
            form={form}
            name="thresholdPreset"
            label="It pauses by itself"
            hint="From 100 sent mails on. A person looks at it then."
            why={why}
            options={optionsOf(thresholds)}
          />
        </div>
      </div>
      <UtmFields form={form} why={why} />
    </Section>
  );
}
