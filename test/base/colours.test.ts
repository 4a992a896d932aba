import { expect } from 'chai';
import fc from 'fast-check';
import { CONTRAST_MIN, contrast, textOn } from '../../core/base/text/colours.ts';
import { lookOf, PAPER } from '../../core/base/text/look.ts';

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('The colours of a project', () => {
  it('are measured as WCAG does', () => {
    expect(contrast('#000000', '#ffffff')).to.be.closeTo(21, 0.001);
    expect(contrast('#ffffff', '#ffffff')).to.equal(1);
    expect(contrast('#777777', '#ffffff')).to.be.closeTo(4.478, 0.001);
    expect(contrast('#ff0000', '#ffffff')).to.equal(contrast('#ffffff', '#ff0000')).and.to.be.closeTo(3.998, 0.001);
  });

  it('give readable buttons, links and outlines in both themes, whatever the colour', () => {
    fc.assert(
      fc.property(colour, (color) => {
        const { button, onButton, accent } = lookOf({ name: 'Shop', color });
        expect(button).to.equal(color);
        const grounds = [
          [onButton, button],
          [accent.light, PAPER.light],
          [accent.light, '#ffffff'],
          [accent.dark, PAPER.dark],
          [accent.dark, '#12161d'],
        ] as const;
        for (const [text, ground] of grounds)
          expect(contrast(text, ground), `${text} on ${ground}`).to.be.at.least(CONTRAST_MIN);
      }),
      { numRuns: 5_000 },
    );
  });

  it('stay as they are where they can be read already', () => {
    const { accent } = lookOf({ name: 'Shop', color: '#1d4fd8' });
    expect(accent.light).to.equal('#1d4fd8');
    expect(accent.dark).to.not.equal('#1d4fd8');
    expect(textOn('#ffff00')).to.equal('#000000');
    expect(textOn('#1d4fd8')).to.equal('#ffffff');
  });
});
