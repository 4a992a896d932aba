import type { Draft } from './draft.ts';

const words: Record<Draft['inlinePictures'], string> = { no: 'As links, as usual', yes: 'Inside the mail' };

export const PICTURE_PLACES = Object.entries(words).map(([value, label]) => ({ value, label }));

export function placeOfPictures(inside: Draft['inlinePictures']): string {
  return words[inside];
}
