import type { Kind } from '../kit/kind.ts';

export const divider: Kind<'divider'> = {
  toHtml({ colour = '#c9cdd3', thickness = 1 }) {
    const style = `border-top:${thickness}px solid ${colour};font-size:1px;line-height:0`;
    return `<div class="ep-line" role="separator" style="${style}">&nbsp;</div>`;
  },
  toText() {
    return '-----';
  },
  check() {
    return [];
  },
};
