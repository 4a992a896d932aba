import type { AutomationStep } from '../../../../client/index.ts';
import type { WhatIf } from './what-ifs.ts';

type Kind = WhatIf['kind'];
interface Choice {
  kinds: ReadonlyArray<readonly [Kind, string]>;
  otherwise: string;
}

const NOTHING = 'nothing';
const ANSWERS = [['silent', 'does not answer']] as const;
const ACTS = [
  ['opens', 'is opened'],
  ['clicks', 'is clicked'],
  ['replies', 'is answered'],
] as const;
const COMES = [['comes', 'comes']] as const;

/** The choice of an act at a step, which may change the way after it. */
export function WhatIfAt({
  choice: { kinds, otherwise },
  name,
  whatIf,
  isBusy,
  onChange,
}: {
  choice: Choice;
  name: string;
  whatIf: WhatIf | undefined;
  isBusy: boolean;
  onChange: (whatIf: WhatIf | null) => void;
}) {
  const begin = { value: 1, unit: 'days', url: '' } as const;
  const set = (changes: Partial<WhatIf>) => whatIf && onChange({ ...whatIf, ...changes });
  return (
    <div class="row wrap what-if" role="group" aria-label={`What if: ${name}`} aria-busy={isBusy}>
      <select
        class="in"
        aria-label={`What happens: ${name}`}
        value={whatIf?.kind ?? NOTHING}
        onChange={({ currentTarget: { value } }) =>
          onChange(value === NOTHING ? null : { ...begin, ...whatIf, kind: value as Kind })
        }
      >
        <option value={NOTHING}>{otherwise}</option>
        {kinds.map(([kind, label]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </select>
      {whatIf && whatIf.kind !== 'silent' && (
        <>
          <span class="dim small">after</span>
          <input
            class="in amount"
            type="number"
            min="0"
            aria-label={`After how long: ${name}`}
            value={whatIf.value}
            onChange={({ currentTarget: { value } }) => set({ value: Math.max(0, Number(value) || 0) })}
          />
          <select
            class="in"
            aria-label={`Unit: ${name}`}
            value={whatIf.unit}
            onChange={({ currentTarget: { value } }) => set({ unit: value as WhatIf['unit'] })}
          >
            {(['minutes', 'hours', 'days'] as const).map((unit) => (
              <option key={unit} value={unit}>
                {unit}
              </option>
            ))}
          </select>
        </>
      )}
      {whatIf?.kind === 'clicks' && (
        <input
          class="in grow"
          aria-label={`Link: ${name}`}
          placeholder="any link"
          value={whatIf.url}
          onChange={({ currentTarget: { value } }) => set({ url: value.trim() })}
        />
      )}
    </div>
  );
}

/** null: nothing from outside is asked for there. */
export function choiceAt({ type, waitEvent, webhook }: AutomationStep): Choice | null {
  if (type === 'email') return { kinds: ACTS, otherwise: 'nothing happens' };
  if (type === 'wait_event' && !waitEvent?.emailStepId) return { kinds: COMES, otherwise: 'does not come' };
  if (type === 'webhook' && webhook?.wait) return { kinds: ANSWERS, otherwise: 'answers at once' };
  return null;
}
