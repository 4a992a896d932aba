import type { ComponentChildren } from 'preact';
import { Icon } from '../../../../parts/icon.tsx';
import { ENTRY, OTHERWISE, placeIn, placeOf, type Way, waysOf } from '../../graph/flow.ts';
import { isFork, type Step, type Steps } from '../model/steps.ts';
import { kinds } from '../steps/kinds.ts';

/** The steps of a narrow screen: each way of a fork is a list in the list. */
export function StepList({
  steps,
  entry,
  chosen,
  nameOf,
  markOf,
  addOn,
  onChoose,
}: {
  steps: Steps;
  /** The first line. */
  entry: string;
  chosen: string | null;
  nameOf: (step: Step) => string;
  markOf: (stepId: string) => string | undefined;
  addOn: ((way: Way) => ComponentChildren) | null;
  onChoose: (stepId: string) => void;
}) {
  const ways = waysOf(steps);
  const adds = (way: Way | undefined) => way && addOn && <li key={way.id}>{addOn(way)}</li>;
  const line = (id: string, name: string, icon: ComponentChildren, mark?: string) => (
    <li key={id}>
      <button
        type="button"
        class="line"
        aria-current={chosen === id ? 'true' : undefined}
        data-node={id}
        onClick={() => onChoose(id)}
      >
        {icon}
        <span class="grow cut">{name}</span>
        {mark && <span class={mark === 'to mend' ? 't-bad small' : 'dim small'}>{mark}</span>}
        <Icon name="chevron" />
      </button>
    </li>
  );
  const listOf = (place: string): ComponentChildren =>
    steps
      .filter((step) => placeOf(step) === place)
      .map((step) => {
        const out = ways.filter(({ from }) => from === step.stepId);
        const kind = kinds[step.type];
        const item = line(step.stepId, nameOf(step), <Icon name={kind?.icon ?? 'automation'} />, markOf(step.stepId));
        if (!isFork(step)) return [item, ...out.map(adds)];
        const others = out.filter(({ branchId }) => typeof branchId === 'string');
        return [
          item,
          ...others.map((way) => (
            <li key={way.id} class="ways">
              <p class="dim small">{way.label}</p>
              <ol>
                {adds(way)}
                {listOf(placeIn(step.stepId, way.branchId ?? ''))}
              </ol>
            </li>
          )),
          ...(step.type === 'branch'
            ? [
                <li key={`${step.stepId} else`} class="dim small">
                  {OTHERWISE}
                </li>,
                adds(out.find(({ branchId }) => branchId === null)),
              ]
            : []),
        ];
      });
  return (
    <ol class="step-list" aria-label="Steps">
      {line(ENTRY, entry, <Icon name="contacts" />, markOf(ENTRY))}
      {adds(ways[0])}
      {listOf('')}
    </ol>
  );
}
