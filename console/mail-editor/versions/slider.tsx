import { useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { TemplateVersion } from '../../../client/index.ts';
import type { Content } from '../../../schemas/templates/block-types.ts';
import { moment } from '../../parts/data/format.ts';
import { Button } from '../../parts/forms/button.tsx';
import { sentenceOf } from '../../parts/forms/form.ts';
import { Notice } from '../../parts/page/notice.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { drawBrand, useBrand } from '../colours/brand.ts';
import { type Changes, changesBetween, wordsOfChanges } from '../model/changes.ts';
import { docOf } from '../model/convert.ts';
import { openStill } from '../surface/still.ts';
import type { Versioned } from './lazy.tsx';

interface Shown {
  version: number;
  /** null: it was code. */
  content: Content | null;
  /** To the version before; null: there is none that can be compared. */
  changes: Changes | null;
}

/** The mail at the chosen version. While the next one is read the last one is shown. */
export default function Slider({ of, versions }: { of: Versioned; versions: readonly TemplateVersion[] }) {
  const id = useId();
  const all = [...versions].sort((a, b) => a.version - b.version);
  const asked = useSignal(of.version);
  const at = Math.max(
    0,
    all.findIndex(({ version }) => version === asked.value),
  );
  const { version, createdAt } = all[at] ?? versions[0]!;
  const before = all[at - 1]?.version;
  const reader = useReader(of);
  const shown = useQuery(
    async (signal): Promise<Shown> => {
      const [content, earlier] = await Promise.all([reader(version, signal), before ? reader(before, signal) : null]);
      return { version, content, changes: content && earlier && changesBetween(earlier, content) };
    },
    [of.key, version],
  );
  const words = `Version ${version}, saved ${moment(createdAt)}`;
  const now = shown.data.value;
  return (
    <div class="stack">
      <div class="row wrap">
        <label for={id}>{words}</label>
        <input
          id={id}
          class="grow"
          type="range"
          min={0}
          max={all.length - 1}
          step={1}
          value={at}
          aria-valuetext={words}
          onInput={({ currentTarget }) => {
            asked.value = all[Number(currentTarget.value)]?.version ?? asked.peek();
          }}
        />
        <Button
          isSmall
          operation={of.operation}
          why={version === of.version && 'It is in the editor.'}
          onClick={() => of.onRestore(version)}
        >
          Restore version {version}
        </Button>
      </div>
      {shown.error.value !== null && <Notice kind="bad" title={sentenceOf(shown.error.value)} />}
      {now && (
        <div aria-busy={now.version !== version}>
          <p class="sub" role="status">
            {sentence(now)}
          </p>
          {now.content && <Still key={now.version} content={now.content} changes={now.changes} />}
        </div>
      )}
    </div>
  );
}

function sentence({ version, content, changes }: Shown): string {
  if (!content) return `Version ${version} is code, which is not drawn here.`;
  if (!changes) return `Version ${version}: there is no mail of blocks before it.`;
  return `Version ${version}: ${wordsOfChanges(changes) ?? 'its blocks are those of the version before'}.`;
}

/** Versions never change: each is read once. */
function useReader(of: Versioned): (version: number, signal: AbortSignal) => Promise<Content | null> {
  const known = useRef(new Map<number, Content | null>());
  return async (version, signal) => {
    const { current: read } = known;
    if (read.has(version)) return read.get(version) ?? null;
    const { builderType, editorJson } = await of.read(version, signal);
    const content = builderType === 'editor' ? (editorJson as Content | null) : null;
    read.set(version, content);
    return content;
  };
}

function Still({ content, changes }: { content: Content; changes: Changes | null }) {
  const place = useRef<HTMLDivElement>(null);
  const brand = useBrand();
  useLayoutEffect(() => {
    if (place.current)
      return openStill(place.current, docOf(content), { new: changes?.added, changed: changes?.changed });
  }, []);
  useLayoutEffect(() => {
    if (place.current) drawBrand(place.current, brand);
  }, [brand]);
  return <div ref={place} class="mail-paper still" />;
}
