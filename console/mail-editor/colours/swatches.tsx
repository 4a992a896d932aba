import { CONTRAST_MIN, contrast } from '../../parts/data/colours.ts';
import { useBrand } from './brand.ts';
import { BRAND_NAMES, brandLabels, colourIn, ratioOf } from './of-brand.ts';

/** The native choice of a colour begins with it. */
const FIRST = '#888888';

interface Props {
  /** 'Colour of the button', before the names of colours. */
  label: string;
  value: string;
  /** The colour behind, or in front: contrast is measured to it. */
  against?: string | undefined;
  why?: string | null;
  onPick: (value: string) => void;
}

/** Colours of the brand first, one of one's own second. */
export function Swatches({ label, value, against, why = null, onPick }: Props) {
  const brand = useBrand();
  const shown = colourIn(brand, value);
  return (
    <span class="swatches" role="group" aria-label={`${label}, colours`}>
      {brand &&
        BRAND_NAMES.map((name) => {
          const colour = colourIn(brand, `brand.${name}`) ?? FIRST;
          const words = `${label}: ${brandLabels[name]} of the brand${against ? `, ${ratioOf(colour, against)}` : ''}`;
          return (
            <button
              key={name}
              class="brand-swatch"
              type="button"
              aria-label={words}
              title={words}
              aria-pressed={value === `brand.${name}`}
              disabled={why !== null}
              onClick={() => onPick(`brand.${name}`)}
            >
              <svg viewBox="0 0 16 16" aria-hidden="true">
                <rect width="16" height="16" rx="3" fill={colour} />
              </svg>
            </button>
          );
        })}
      <input
        type="color"
        class="swatch"
        aria-label={`${label}, picked`}
        title="A colour of your own"
        value={shown?.toLowerCase() ?? FIRST}
        disabled={why !== null}
        onInput={(event) => onPick(event.currentTarget.value)}
      />
    </span>
  );
}

/** Whether it can be read. */
export function ContrastNote({ value, against }: { value: string; against: string | undefined }) {
  const shown = colourIn(useBrand(), value);
  if (!shown || !against) return null;
  const isPale = contrast(shown, against) < CONTRAST_MIN;
  return (
    <span class={isPale ? 't-warn small' : 'dim small'} role="status">
      {ratioOf(shown, against)}
      {isPale ? ', hard to read' : ''}
    </span>
  );
}
