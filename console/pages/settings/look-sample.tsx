import { COLOUR, type Colours, coloursOf, contrast, PAPER } from '../../parts/data/colours.ts';

/** A button and a link as the public pages draw them in both themes, with their contrast in figures. */
export function LookSample({ color }: { color: string }) {
  const colours = coloursOf(color);
  if (!colours) return <p class="dim">A colour has six digits, such as {COLOUR}.</p>;
  return (
    <div class="stack">
      <div class="looks">
        <Sample colours={colours} theme="light" />
        <Sample colours={colours} theme="dark" />
      </div>
      <Figures colours={colours} />
    </div>
  );
}

const cards = { light: '#ffffff', dark: PAPER.dark };
const inks = { light: '#1c2430', dark: '#e8ebf1' };

function Sample({ colours: { button, onButton, accent }, theme }: { colours: Colours; theme: 'light' | 'dark' }) {
  return (
    <svg class="look" viewBox="0 0 220 120" role="img" aria-label={`A page in ${theme}`}>
      <rect width="220" height="120" rx="8" fill={cards[theme]} stroke="#8993a4" />
      <text x="16" y="32" fill={inks[theme]} font-size="14" font-weight="600">
        Your newsletter
      </text>
      <text x="16" y="54" fill={accent[theme]} font-size="12" text-decoration="underline">
        A link
      </text>
      <rect x="16" y="72" width="188" height="32" rx="6" fill={button} stroke={accent[theme]} stroke-width="2" />
      <text x="110" y="93" fill={onButton} font-size="13" font-weight="600" text-anchor="middle">
        Subscribe
      </text>
    </svg>
  );
}

function Figures({ colours: { button, onButton, accent } }: { colours: Colours }) {
  const mixed = accent.light !== button || accent.dark !== button;
  return (
    <p class="small sub">
      Contrast of the button {ratio(contrast(onButton, button))}, of links {ratio(contrast(accent.light, PAPER.light))}{' '}
      in light and {ratio(contrast(accent.dark, PAPER.dark))} in dark; text can be read from 4.5 : 1.{' '}
      {mixed && 'Links are made darker or lighter than the colour for it.'}
    </p>
  );
}

function ratio(figure: number): string {
  return `${(Math.floor(figure * 10) / 10).toFixed(1)} : 1`;
}
