import { codeFault, codeText } from '../kit/code.ts';
import type { Kind } from '../kit/kind.ts';
import { fault } from '../kit/spans.ts';

/** HTML of the author, which stays inside its cell. */
export const html: Kind<'html'> = {
  toHtml({ html: code }) {
    return code;
  },
  toText({ html: code }) {
    return codeText(code);
  },
  check({ html: code }) {
    return fault('html', codeFault(code));
  },
};
