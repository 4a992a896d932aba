import type { ComponentChildren } from 'preact';
import { Chooser } from '../../parts/choose/chooser.tsx';
import { events, listsWithoutSegments, type Mailing, mailingOf, mailings } from '../../parts/choose/things.ts';
import { count } from '../../parts/data/format.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Choose } from '../../parts/forms/choices.tsx';
import {
  type BehaviourRow,
  behaviours,
  type FieldRow,
  type GroupRow,
  type KnownField,
  type ListRow,
  memberships,
  needsValue,
  newBehaviourRow,
  newFieldRow,
  newGroup,
  newListRow,
  operators,
  type Row,
} from './filter.ts';

const LEVELS_MAX = 5;
const ENTRIES_MAX = 50;

export interface Scene {
  fields: readonly KnownField[];
  /** People of each row alone; absent while it is counted. */
  counts: ReadonlyMap<number, number | null>;
  problems: ReadonlyMap<number, string>;
  isReadOnly: boolean;
}

/** Conditions joined by all or any, with groups inside. */
export function FilterBuilder({
  group,
  scene,
  level = 1,
  onChange,
}: {
  group: GroupRow;
  scene: Scene;
  level?: number;
  onChange: (group: GroupRow) => void;
}) {
  const setRows = (rows: readonly Row[]) => onChange({ ...group, rows });
  const change = (next: Row) => setRows(group.rows.map((row) => (row.key === next.key ? next : row)));
  const remove = (key: number) => setRows(group.rows.filter((row) => row.key !== key));
  const add = (row: Row) => setRows([...group.rows, row]);
  const [first] = scene.fields;
  const isFull = group.rows.length >= ENTRIES_MAX && `At most ${ENTRIES_MAX} conditions belong to one group.`;
  return (
    <div class="stack tight">
      <div class="row wrap">
        <span class="sub">People who match</span>
        <Choose
          label="How the conditions join"
          value={group.join}
          options={[
            { value: 'AND', label: 'all', isDisabled: scene.isReadOnly },
            { value: 'OR', label: 'any', isDisabled: scene.isReadOnly },
          ]}
          onChange={(join) => onChange({ ...group, join: join as GroupRow['join'] })}
        />
        <span class="sub">of these</span>
      </div>
      <div class="filters">
        {group.rows.map((row, index) => (
          <RowOf
            key={row.key}
            row={row}
            index={index}
            join={group.join}
            scene={scene}
            level={level}
            onChange={change}
            onRemove={() => remove(row.key)}
          />
        ))}
      </div>
      {!scene.isReadOnly && first && (
        <div class="row wrap">
          <Button isSmall icon="plus" why={isFull} onClick={() => add(newFieldRow(first))}>
            Field
          </Button>
          <Button isSmall icon="plus" why={isFull} onClick={() => add(newBehaviourRow('opened'))}>
            What they did
          </Button>
          <Button isSmall icon="plus" why={isFull} onClick={() => add(newListRow())}>
            List
          </Button>
          <Button
            isSmall
            icon="plus"
            why={isFull || (level >= LEVELS_MAX && `Groups go ${LEVELS_MAX} levels deep.`)}
            onClick={() => add(newGroup([newFieldRow(first)], group.join === 'AND' ? 'OR' : 'AND'))}
          >
            Group
          </Button>
        </div>
      )}
    </div>
  );
}

interface RowProps {
  row: Row;
  index: number;
  join: GroupRow['join'];
  scene: Scene;
  level: number;
  onChange: (row: Row) => void;
  onRemove: () => void;
}

function RowOf({ row, index, join, scene, level, onChange, onRemove }: RowProps) {
  const name = `Condition ${index + 1}`;
  const problem = scene.problems.get(row.key);
  const frame = (children: ComponentChildren) => (
    <div class="filter" role="group" aria-label={name}>
      <span class="join small">{index === 0 ? 'Where' : join === 'AND' ? 'and' : 'or'}</span>
      <div class="filter-controls">{children}</div>
      <Count n={scene.counts.get(row.key)} />
      {scene.isReadOnly ? (
        <span />
      ) : (
        <Button isSmall kind="plain" icon="close" label={`Remove ${name.toLowerCase()}`} onClick={onRemove} />
      )}
      {problem && <p class="hint t-bad filter-problem">{problem}</p>}
    </div>
  );
  switch (row.kind) {
    case 'field':
      return frame(<FieldCondition row={row} scene={scene} name={name} onChange={onChange} />);
    case 'behaviour':
      return frame(<BehaviourCondition row={row} scene={scene} name={name} onChange={onChange} />);
    case 'list':
      return frame(<ListCondition row={row} scene={scene} name={name} onChange={onChange} />);
    case 'other':
      return frame(
        <>
          <span class="dim">Written by a program</span>
          <code class="cut filter-wide" title={JSON.stringify(row.entry)}>
            {JSON.stringify(row.entry)}
          </code>
        </>,
      );
    case 'group':
      return (
        <div class="filter-group" role="group" aria-label={`Group ${index + 1}`}>
          <div class="row">
            <span class="join small">{index === 0 ? 'Where' : join === 'AND' ? 'and' : 'or'}</span>
            <span class="grow" />
            <Count n={scene.counts.get(row.key)} />
            {!scene.isReadOnly && (
              <Button isSmall kind="plain" icon="close" label={`Remove group ${index + 1}`} onClick={onRemove} />
            )}
          </div>
          <FilterBuilder group={row} scene={scene} level={level + 1} onChange={onChange} />
        </div>
      );
  }
}

function Count({ n }: { n: number | null | undefined }) {
  return <span class="num dim">{n === undefined ? '' : n === null ? 'many' : count(n)}</span>;
}

interface Choice {
  value: string;
  label: string;
}

function Pick({
  label,
  value,
  options,
  isReadOnly,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly Choice[];
  isReadOnly: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <select
      class="in"
      aria-label={label}
      value={value}
      disabled={isReadOnly}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

function Typed({
  label,
  value,
  type = 'text',
  placeholder,
  isReadOnly,
  onChange,
}: {
  label: string;
  value: string;
  type?: 'text' | 'date' | 'number';
  placeholder?: string;
  isReadOnly: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <input
      class="in"
      type={type as 'text'}
      aria-label={label}
      placeholder={placeholder}
      value={value}
      readOnly={isReadOnly}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function FieldCondition({
  row,
  scene: { fields, isReadOnly },
  name,
  onChange,
}: {
  row: FieldRow;
  scene: Scene;
  name: string;
  onChange: (row: Row) => void;
}) {
  const known = fields.find(({ path }) => path === row.field);
  const type = known?.type ?? 'string';
  const isDays = row.operator.endsWith('in_last_days');
  const input = isDays ? 'number' : type === 'date' ? 'date' : 'text';
  const set = (changes: Partial<FieldRow>) => onChange({ ...row, ...changes });
  return (
    <>
      <div>
        <Pick
          label={`${name}: field`}
          value={row.field}
          isReadOnly={isReadOnly}
          options={fields.map(({ path, label }) => ({ value: path, label }))}
          onChange={(path) => {
            const next = fields.find((one) => one.path === path);
            if (next) onChange({ ...newFieldRow(next), key: row.key });
          }}
        />
      </div>
      <div>
        <Pick
          label={`${name}: comparison`}
          value={row.operator}
          isReadOnly={isReadOnly}
          options={operators[type]}
          onChange={(operator) =>
            set({ operator, ...(operator.endsWith('in_last_days') !== isDays && { value: '', upper: '' }) })
          }
        />
      </div>
      <div class="row">
        {!needsValue(row.operator) ? (
          <span class="dim small">needs no value</span>
        ) : type === 'boolean' ? (
          <Pick
            label={`${name}: value`}
            value={row.value}
            isReadOnly={isReadOnly}
            options={[
              { value: 'true', label: 'yes' },
              { value: 'false', label: 'no' },
            ]}
            onChange={(value) => set({ value })}
          />
        ) : (
          <>
            <Typed
              label={`${name}: value`}
              type={input}
              value={row.value}
              placeholder={isDays ? '30' : undefined}
              isReadOnly={isReadOnly}
              onChange={(value) => set({ value })}
            />
            {row.operator === 'between' && (
              <Typed
                label={`${name}: upper value`}
                type={input}
                value={row.upper}
                isReadOnly={isReadOnly}
                onChange={(upper) => set({ upper })}
              />
            )}
            {isDays && <span class="dim small">days</span>}
          </>
        )}
      </div>
    </>
  );
}

function ListCondition({
  row,
  scene: { isReadOnly },
  name,
  onChange,
}: {
  row: ListRow;
  scene: Scene;
  name: string;
  onChange: (row: Row) => void;
}) {
  return (
    <>
      <div>
        <Pick
          label={`${name}: comparison`}
          value={row.operator}
          isReadOnly={isReadOnly}
          options={memberships}
          onChange={(operator) => onChange({ ...row, operator })}
        />
      </div>
      <div class="filter-wide">
        <Chooser
          label={`${name}: list`}
          placeholder="Choose a list"
          things={listsWithoutSegments}
          value={row.listId}
          isReadOnly={isReadOnly}
          onPick={({ value }) => onChange({ ...row, listId: value })}
        />
      </div>
    </>
  );
}

const NO_MAILING: Mailing = { campaignId: '', automationId: '' };

function BehaviourCondition({
  row,
  scene: { isReadOnly },
  name,
  onChange,
}: {
  row: BehaviourRow;
  scene: Scene;
  name: string;
  onChange: (row: Row) => void;
}) {
  const set = (changes: Partial<BehaviourRow>) => onChange({ ...row, ...changes });
  const given = { isReadOnly };
  return (
    <>
      <div class="stack tight">
        <Pick
          {...given}
          label={`${name}: what they did`}
          value={row.behaviour}
          options={behaviours}
          onChange={(behaviour) => set({ behaviour })}
        />
        {row.behaviour === 'event' ? (
          <Chooser
            {...given}
            key="event"
            label={`${name}: event`}
            placeholder="Choose an event"
            things={events}
            value={row.eventName}
            onPick={({ value }) => set({ eventName: value })}
          />
        ) : (
          <Chooser
            {...given}
            key="mailing"
            label={`${name}: of campaign or automation`}
            none="of any campaign or automation"
            things={mailings}
            value={mailingOf(row)}
            onPick={({ thing }) => set(thing ?? NO_MAILING)}
          />
        )}
      </div>
      <div class="row">
        <Pick
          {...given}
          label={`${name}: how often`}
          value={row.operator}
          options={[
            { value: 'at_least', label: 'at least' },
            { value: 'never', label: 'never' },
          ]}
          onChange={(operator) => set({ operator })}
        />
        {row.operator === 'at_least' && (
          <>
            <Typed
              {...given}
              label={`${name}: times`}
              type="number"
              value={row.count}
              onChange={(times) => set({ count: times })}
            />
            <span class="dim small">times</span>
          </>
        )}
      </div>
      <div class="stack tight">
        <div class="row">
          <span class="dim small">within</span>
          <Typed
            {...given}
            label={`${name}: days`}
            type="number"
            value={row.withinDays}
            placeholder="all"
            onChange={(withinDays) => set({ withinDays })}
          />
          <span class="dim small">days</span>
        </div>
        {row.behaviour === 'clicked' && (
          <Typed
            {...given}
            label={`${name}: link`}
            value={row.url}
            placeholder="any link"
            onChange={(url) => set({ url })}
          />
        )}
      </div>
    </>
  );
}
