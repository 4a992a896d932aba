import type { Kind } from '../kit/kind.ts';

export const space: Kind<'space'> = {
  toHtml({ height }) {
    return `<div aria-hidden="true" style="height:${height}px;line-height:${height}px;font-size:1px">&nbsp;</div>`;
  },
  toText() {
    return '';
  },
  check() {
    return [];
  },
};
