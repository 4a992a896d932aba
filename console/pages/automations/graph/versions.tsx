import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Automation } from '../../../../client/index.ts';
import type { Names } from '../names.ts';
import { changedParts, compareDefinitions, differenceWords, type Mark } from './compare.ts';
import { ENTRY, nameOf } from './flow.ts';
import { Graph } from './graph.tsx';

interface Props {
  running: Automation;
  draft: Automation;
  names: Names;
}

const SMALL = 0.6;
const ORDER: readonly Mark[] = ['added', 'changed', 'removed'];

/** The version that runs and the draft next to each other, with their differences marked in both and listed. */
export function Versions({ running, draft, names }: Props) {
  const differences = compareDefinitions(running, draft);
  const { version = 1 } = running;
  return (
    <div class="stack near">
      <p>
        Against version {version}: {differenceWords(differences)}.
      </p>
      <Changes {...{ running, draft, names }} marks={differences.marks} />
      <div class="versions">
        <Picture title={`Version ${version}, running`} automation={running} names={names} marks={differences.marks} />
        <Picture
          title={`Version ${version + 1}, the draft`}
          automation={draft}
          names={names}
          marks={differences.marks}
        />
      </div>
    </div>
  );
}

function Changes({ running, draft, names, marks }: Props & { marks: ReadonlyMap<string, Mark> }) {
  const all = [...marks].sort(([, a], [, b]) => ORDER.indexOf(a) - ORDER.indexOf(b));
  if (all.length === 0) return null;
  return (
    <ul class="changes small" tabIndex={0} aria-label="Changes">
      {all.map(([stepId, mark]) => {
        const before = running.steps.find((step) => step.stepId === stepId);
        const after = draft.steps.find((step) => step.stepId === stepId);
        const step = after ?? before;
        const parts = before && after ? changedParts(before, after) : [];
        return (
          <li key={stepId} class={mark}>
            <span class="difference">{mark}</span> {step ? nameOf(step, names.templates) : stepId === ENTRY && 'Entry'}
            {parts.length > 0 && <span class="dim">: {parts.join(', ')}</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** A picture that begins at its first difference. */
function Picture({
  title,
  automation,
  names,
  marks,
}: {
  title: string;
  automation: Automation;
  names: Names;
  marks: ReadonlyMap<string, Mark>;
}) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current: place } = box;
    const first = place?.querySelector(':is(.added, .changed, .removed)');
    if (!place || !first) return;
    const [outer, inner] = [place.getBoundingClientRect(), first.getBoundingClientRect()];
    place.scrollTop = inner.top - outer.top - place.clientHeight / 2;
    place.scrollLeft = inner.left - outer.left + inner.width / 2 - place.clientWidth / 2;
  }, []);
  return (
    <figure>
      <figcaption class="dim small">{title}</figcaption>
      <div ref={box} class="picture" tabIndex={0} role="group" aria-label={title}>
        <div inert>
          <Graph
            {...{ automation, names, marks }}
            chosen={null}
            isDraft
            editing={{ here: ENTRY, addOn: null, addSize: 0, zoom: SMALL }}
          />
        </div>
      </div>
    </figure>
  );
}
