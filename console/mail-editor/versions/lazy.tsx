import { useSignal } from '@preact/signals';
import type { TemplateVersion } from '../../../client/index.ts';
import { loadScript } from '../../api.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Section } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';

/** Where versions come from: of a template, a layout, a snippet. */
export interface Versioned {
  /** Its name, which says when to begin again. */
  key: string;
  newestVersion: number;
  /** The one in the editor. */
  version: number;
  operation: string;
  list(signal: AbortSignal): PromiseLike<TemplateVersion[]>;
  read(version: number, signal: AbortSignal): PromiseLike<{ builderType: string; editorJson: object | null }>;
  onRestore: (version: number) => unknown;
}

/** The mail at each of its versions; a script of its own, as the editor is. */
export function ThroughVersions({ of }: { of: Versioned }) {
  const isOpen = useSignal(false);
  if (of.newestVersion < 2) return null;
  return (
    <Section
      title="Through the versions"
      hasRule
      aside={
        <Button
          isSmall
          isPressed={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.peek();
          }}
        >
          {isOpen.value ? 'Close' : 'Look through them'}
        </Button>
      }
    >
      {isOpen.value ? <Opened of={of} /> : <p class="dim">The mail as it was, one version after the other.</p>}
    </Section>
  );
}

function Opened({ of }: { of: Versioned }) {
  const script = useQuery(async () => ({ Slider: (await loadScript(() => import('./slider.tsx'))).default }));
  const versions = useQuery((signal) => of.list(signal), [of.key, of.newestVersion]);
  const Slider = script.data.value?.Slider;
  const found = versions.data.value;
  if (Slider && found) return <Slider of={of} versions={found} />;
  return <Loaded query={script}>{() => <Loaded query={versions}>{() => null}</Loaded>}</Loaded>;
}
