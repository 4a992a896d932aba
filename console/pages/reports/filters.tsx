import { useId } from 'preact/hooks';
import { api } from '../../api.ts';
import { Chooser } from '../../parts/choose/chooser.tsx';
import { automations, campaigns, type Things } from '../../parts/choose/things.ts';
import { Choose } from '../../parts/forms/choices.tsx';
import { FilterSelect, SearchBox } from '../../parts/forms/search-box.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { setQuery } from '../../router.ts';
import { type Asked, dateText, spans } from './asked.ts';

interface Option {
  value: string;
  label: string;
}

type Listed = 'domain' | 'provider';

const DOMAINS_MAX = 100;
const PROVIDERS_MS = 31 * 86_400_000;

const kinds: readonly Option[] = [
  { value: '', label: 'Whole project' },
  { value: 'campaignId', label: 'One campaign' },
  { value: 'automationId', label: 'One automation' },
  { value: 'domain', label: 'One sending domain' },
  { value: 'provider', label: 'One mailbox provider' },
  { value: 'tag', label: 'One tag' },
];

/** Which mail, which time, and its steps. */
export function Filters({ asked }: { asked: Asked }) {
  const { dimension, span, interval, canHaveHours } = asked;
  return (
    <div class="row wrap report-filters">
      <FilterSelect
        label="Mail of"
        value={dimension}
        options={kinds}
        onChange={(value) => setQuery({ of: value, value: null })}
      />
      {dimension === 'tag' && (
        <SearchBox
          label="Name and value of the tag"
          placeholder="kind:invoice"
          value={asked.value}
          onSearch={(value) => setQuery({ value })}
        />
      )}
      {dimension === 'campaignId' && <Which things={campaigns} value={asked.value} />}
      {dimension === 'automationId' && <Which things={automations} value={asked.value} />}
      {(dimension === 'domain' || dimension === 'provider') && <Values dimension={dimension} value={asked.value} />}
      <Choose
        label="Time"
        value={span}
        options={spans}
        onChange={(value) =>
          setQuery({
            span: value,
            by: null,
            ...(value === 'own' ? { from: dateText(asked.from), to: dateText(asked.to) } : { from: null, to: null }),
          })
        }
      />
      {span === 'own' && <OwnDays asked={asked} />}
      <Choose
        label="Steps"
        value={interval}
        options={[
          { value: 'hour', label: 'By hour', isDisabled: !canHaveHours },
          { value: 'day', label: 'By day' },
        ]}
        onChange={(value) => setQuery({ by: value })}
      />
    </div>
  );
}

function Which<T>({ things, value }: { things: Things<T>; value: string }) {
  return (
    <Chooser
      key={things.one}
      label="Which one"
      look="beside"
      placeholder="Choose one"
      things={things}
      value={value}
      onPick={(item) => setQuery({ value: item.value })}
    />
  );
}

function Values({ dimension, value }: { dimension: Listed; value: string }) {
  const found = useQuery((signal) => optionsOf(dimension, signal), [dimension]);
  const options = found.data.value ?? [];
  const isKnown = value === '' || options.some((one) => one.value === value);
  return (
    <FilterSelect
      label="Which one"
      value={value}
      options={[
        { value: '', label: found.data.value === null ? 'Loading' : 'Choose one' },
        ...options,
        ...(isKnown ? [] : [{ value, label: value }]),
      ]}
      onChange={(next) => setQuery({ value: next })}
    />
  );
}

/** A hundred domains, and of providers those with mail in a month. */
async function optionsOf(dimension: Listed, signal: AbortSignal): Promise<Option[]> {
  switch (dimension) {
    case 'domain': {
      const { domains } = await api.domains.list({ limit: DOMAINS_MAX }, { signal });
      return domains.map(({ domainName }) => ({ value: domainName, label: domainName }));
    }
    case 'provider': {
      const from = new Date(Date.now() - PROVIDERS_MS).toISOString();
      const { providers } = await api.reports.providers({ from }, { signal });
      return providers.map(({ id, name }) => ({ value: id, label: id === 'other' ? 'All others' : name }));
    }
  }
}

function OwnDays({ asked: { from, to } }: { asked: Asked }) {
  // The end is the beginning of the next day.
  const last = new Date(to.getTime() - 1);
  return (
    <span class="row">
      <Day label="First day" name="from" at={from} />
      <span class="dim">to</span>
      <Day label="Last day" name="to" at={last} />
    </span>
  );
}

function Day({ label, name, at }: { label: string; name: 'from' | 'to'; at: Date }) {
  const id = useId();
  return (
    <>
      <label class="sr" for={id}>
        {label}
      </label>
      <input
        id={id}
        class="in fit"
        type="date"
        value={dateText(at)}
        max={dateText(new Date())}
        onChange={(event) => event.currentTarget.value && setQuery({ [name]: event.currentTarget.value, by: null })}
      />
    </>
  );
}
