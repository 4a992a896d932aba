import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Automation } from '../../../../client/index.ts';
import { count, counted, people, percent } from '../../../parts/data/format.ts';
import { type IconName, iconPath } from '../../../parts/icon.tsx';
import type { Path } from '../../../paths.ts';
import { to } from '../../../router.ts';
import type { Names } from '../names.ts';
import type { Mark } from './compare.ts';
import { END, ENTRY, nameOf, type Walked, type Way, waitName, waysOf } from './flow.ts';
import { type Box, layout, pathOf } from './layout.ts';
import { entryName, entryTypes, reentryWords } from './state.tsx';
import { cut } from './words.ts';

/** Drawn from the steps. Each node is a link that chooses its step; each figure leads to the people on it. */

interface Node {
  id: string;
  name: string;
  under: string;
  icon: IconName;
  here: number | null;
}

const WIDTH = 232;
const HEIGHT = 52;
/** Widths are guessed from letters: measuring would need the page. */
const LETTER = 6.2;
const LABEL = 18;
const LABEL_MAX = 24;
const NAME_MAX = 27;
const UNDER_MAX = 32;
const EMPTY: Walked = { steps: new Set(), ways: new Set(), at: null };

/** The parts that an editor adds to the drawing. */
export interface Editing {
  /** The node that Tab comes to. */
  here: string;
  /** On each line, in a place of this size. */
  addOn: ((way: Way) => ComponentChildren) | null;
  addSize: number;
  /** Of the drawing: 1 is its own size. */
  zoom: number;
}

export function Graph({
  automation,
  names,
  chosen,
  walked = EMPTY,
  marks,
  isDraft,
  editing,
}: {
  automation: Automation;
  names: Names;
  chosen: string | null;
  walked?: Walked | undefined;
  /** How the draft differs, or that a step is to be mended. */
  marks?: ReadonlyMap<string, Mark | 'to mend'> | undefined;
  isDraft: boolean;
  editing?: Editing;
}) {
  const { id, steps } = automation;
  const addSize = editing?.addOn ? editing.addSize : 0;
  const zoom = editing?.zoom ?? 1;
  const ways = useMemo(() => waysOf(steps), [steps]);
  const isEnded = ways.some((way) => way.to === END);
  const nodes = nodesOf(automation, names).filter((node) => node.id !== END || isEnded || !editing);
  // A change within a step seldom changes the drawing.
  const form = ways.map(({ id: way, from, to: target, label }) => [way, from, target, label].join(' ')).join('\n');
  const drawing = useMemo(
    () =>
      layout(
        nodes.map((node) => ({ id: node.id, width: WIDTH, height: HEIGHT })),
        ways.map(({ id: way, from, to: target, label }) => ({
          ...{ id: way, from, to: target },
          label: sizeOf(label, addSize),
        })),
      ),
    [form, addSize],
  );
  const { width, height, boxes, routes } = drawing;
  const isOn = (way: Way) => walked.ways.has(way.id);
  const order = ways.map((way, index) => ({ way, route: routes[index] }));
  order.sort((a, b) => Number(isOn(a.way)) - Number(isOn(b.way)));
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A graph that is wider than its place begins at its entry, not at its left edge.
    const entry = boxes.get(ENTRY);
    if (box.current && entry) box.current.scrollLeft = zoom * (entry.x + entry.width / 2) - box.current.clientWidth / 2;
  }, [editing ? null : drawing]);
  const at = walked.at === null ? undefined : boxes.get(walked.at);
  return (
    <div ref={box} class="graph-box" tabIndex={0} role="group" aria-label="Graph of steps, scrollable">
      <svg
        class="graph"
        width={width * zoom}
        height={height * zoom}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label="Steps"
      >
        {order.map(({ way, route }) => (
          <path key={way.id} class={isOn(way) ? 'edge on' : 'edge'} d={pathOf(route?.points ?? [])} />
        ))}
        {order.map(
          ({ way, route }) =>
            route?.label &&
            way.label && <Label key={way.id} box={{ ...route.label, height: LABEL }} text={way.label} />,
        )}
        {nodes.map((node) => {
          const own = boxes.get(node.id);
          const mark = marks?.get(node.id);
          const classes = [
            'node',
            mark === 'to mend' ? 'wrong' : mark,
            walked.steps.has(node.id) && 'on',
            chosen === node.id && 'chosen',
          ];
          return (
            own && (
              <NodeOf
                key={node.id}
                {...{ node, box: own, mark }}
                href={editing ? editOf(node, id) : linkOf(node, id, isDraft)}
                tabIndex={editing && editing.here !== node.id ? -1 : 0}
                peopleHref={to(`/automations/${id}`, { tab: 'people', at: node.id })}
                classes={classes.filter(Boolean).join(' ')}
              />
            )
          );
        })}
        {editing?.addOn &&
          ways.map((way, index) => (
            <Place key={way.id} box={routes[index]?.label ?? null} size={addSize}>
              {editing.addOn?.(way)}
            </Place>
          ))}
        {at && <circle class="f-accent" cx={at.x} cy={at.y + at.height / 2} r="5" />}
      </svg>
    </div>
  );
}

const icons = {
  wait: 'clock',
  wait_until: 'clock',
  email: 'email',
  branch: 'automation',
  split: 'automation',
  exit: 'close',
  update_contact: 'contacts',
  wait_event: 'now',
  webhook: 'webhook',
  goal: 'goal',
} as const;

function nodesOf({ entryCriteria, reentry, steps, statistics }: Automation, names: Names): Node[] {
  const figures = new Map(statistics?.steps.map((step) => [step.stepId, step]));
  const isEvent = entryCriteria.type === 'event_trigger';
  const entry = entryName(entryCriteria, { list: names.lists.name, form: names.forms.name });
  return [
    {
      ...{ id: ENTRY, name: entry, icon: isEvent ? 'now' : 'contacts', here: null },
      under: entry === entryTypes[entryCriteria.type] ? reentryWords(reentry) : entryTypes[entryCriteria.type],
    },
    ...steps.map((step): Node => {
      const own = figures.get(step.stepId);
      const icon = icons[step.type];
      const under = {
        wait: `${count(own?.entered ?? 0)} came here`,
        email: counted(own?.emails ?? 0, 'mail'),
        branch: 'First branch that holds',
        split: 'Each person one side',
        exit: `${count(own?.exited ?? 0)} left here`,
        wait_until: `${count(own?.entered ?? 0)} came here`,
        update_contact: `${people(own?.updated ?? 0)} changed`,
        goal: `${people(own?.converted ?? 0)} converted, ${percent(own?.converted ?? 0, statistics?.entered ?? 0)}`,
        wait_event: `${waitName(step.waitEvent?.timeout)} at most`,
        webhook: step.webhook?.wait ? `${count(own?.answered ?? 0)} answered` : `${count(own?.entered ?? 0)} came here`,
      }[step.type];
      return { id: step.stepId, name: nameOf(step, names.templates), under, icon, here: own?.active ?? 0 };
    }),
    { id: END, name: 'Complete', under: `${people(statistics?.completed ?? 0)} so far`, icon: 'check', here: null },
  ];
}

function linkOf(node: Node, id: string, isDraft: boolean): string {
  const path: Path = `/automations/${id}`;
  if (node.id === END) return to(path, { tab: 'people', status: 'completed' });
  if (node.id === ENTRY) return to(path, { tab: 'people' });
  return to(path, { show: isDraft ? 'draft' : undefined, step: node.id });
}

function editOf(node: Node, id: string): string {
  return to(`/automations/${id}/edit`, { step: node.id === ENTRY || node.id === END ? 'entry' : node.id });
}

function NodeOf({
  node,
  box,
  href,
  tabIndex,
  peopleHref,
  mark,
  classes,
}: {
  node: Node;
  box: Box;
  href: string;
  tabIndex: number;
  peopleHref: string;
  mark: Mark | 'to mend' | undefined;
  classes: string;
}) {
  const { width, height } = box;
  const { name, under, icon, here } = node;
  const shown = cut(name, here ? NAME_MAX - count(here).length : NAME_MAX);
  return (
    <g class={classes} transform={`translate(${box.x} ${box.y})`}>
      <a
        href={href}
        tabIndex={tabIndex}
        data-node={node.id}
        aria-current={classes.includes('chosen') ? 'true' : undefined}
      >
        <rect width={width} height={height} rx="6" />
        <svg class="i" x="12" y="10" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <path d={iconPath(icon)} />
        </svg>
        <text class="name" x="36" y="22">
          {shown !== name && <title>{name}</title>}
          {shown}
        </text>{' '}
        <text x="36" y="40">
          {cut(under, mark ? UNDER_MAX - mark.length - 2 : UNDER_MAX)}
        </text>
        {mark && (
          <>
            {' '}
            <text class="mark" x={width - 12} y="40">
              {mark}
            </text>
          </>
        )}
      </a>
      {here !== null && here > 0 && (
        <a href={peopleHref} tabIndex={tabIndex} aria-label={`${people(here)} on ${name}`}>
          <text class="here" x={width - 12} y="22">
            {count(here)}
          </text>
        </a>
      )}
    </g>
  );
}

/** Room for the words of a line, and for what an editor adds below them. */
function sizeOf(label: string | undefined, addSize: number): { width: number; height: number } | undefined {
  if (!label && addSize === 0) return undefined;
  const width = label ? Math.ceil(cut(label, LABEL_MAX).length * LETTER) + 12 : 0;
  return { width: Math.max(width, addSize), height: (label ? LABEL : 0) + addSize };
}

function Place({ box, size, children }: { box: Box | null; size: number; children: ComponentChildren }) {
  if (!box) return null;
  const { x, y, width, height } = box;
  return (
    <foreignObject transform={`translate(${x + (width - size) / 2} ${y + height - size})`} width={size} height={size}>
      {children}
    </foreignObject>
  );
}

function Label({ box: { x, y, width, height }, text }: { box: Box; text: string }) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <title>{text}</title>
      <rect class="back" width={width} height={height} />
      <text class="word" x={width / 2} y="13">
        {cut(text, LABEL_MAX)}
      </text>
    </g>
  );
}
