import { textOn } from '../../../parts/data/colours.ts';
import type { Values } from './values.ts';

/** A mail in the colours that are typed. */
export function Sample({ values }: { values: Values }) {
  const { name } = values;
  const [primary, text, paper, background] = (['primary', 'text', 'paper', 'background'] as const).map((one) => {
    const colour = values[`colours/${one}`];
    return /^#[0-9a-f]{6}$/i.test(colour) ? colour : '#888888';
  }) as [string, string, string, string];
  return (
    <svg class="look" viewBox="0 0 320 150" role="img" aria-label="A mail in these colours">
      <rect width="320" height="150" rx="8" fill={background} stroke="#8993a4" />
      <rect x="40" y="12" width="240" height="126" fill={paper} />
      <text x="56" y="38" fill={primary} font-size="14" font-weight="700">
        {name.slice(0, 24)}
      </text>
      <text x="56" y="64" fill={text} font-size="12">
        Words of a mail, and{' '}
        <tspan fill={primary} text-decoration="underline">
          a link
        </tspan>
      </text>
      <rect x="56" y="82" width="110" height="34" rx="6" fill={primary} />
      <text x="111" y="103" fill={textOn(primary)} font-size="12" font-weight="600" text-anchor="middle">
        A button
      </text>
    </svg>
  );
}
