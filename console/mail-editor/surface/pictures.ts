import { NO_PICTURE } from '../model/fresh.ts';
import { element, setVariable } from './dom.ts';

const OWN = /^\/media\/[\w.-]+$/;

/** null: it is not on this server. The console loads nothing from elsewhere, so that no other server learns who edits. */
export function ownAddress(src: string): string | null {
  if (!URL.canParse(src)) return null;
  const { pathname } = new URL(src);
  return OWN.test(pathname) ? pathname : null;
}

/** The picture, or a box that says what it is. */
export function pictureOf(
  src: string,
  alt: string,
  width: number | undefined,
  empty = 'Choose a picture',
): HTMLElement {
  const own = ownAddress(src);
  if (own) {
    const made = element('img', { src: own, alt, class: 'm-picture' });
    setVariable(made, '--m-picture', width === undefined ? undefined : `${width}px`);
    made.addEventListener('error', () => made.replaceWith(boxOf(src, alt, empty)), { once: true });
    return made;
  }
  return boxOf(src, alt, empty);
}

function boxOf(src: string, alt: string, empty: string): HTMLElement {
  if (src === NO_PICTURE) return element('span', { class: 'm-nothing' }, empty);
  const where = URL.canParse(src) ? new URL(src).host : src;
  return element(
    'span',
    { class: 'm-nothing' },
    alt || 'Picture',
    element('small', {}, `${where}, shown in the preview`),
  );
}
