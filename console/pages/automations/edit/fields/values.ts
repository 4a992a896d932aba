/** A text that is no number is sent as it is: the refusal says why. */
export function numberIn(text: string): number {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : (text as unknown as number);
}

/** A number or a yes that is none stays a text: the refusal says why. */
export function valueIn(text: string, type: string | undefined): string | number | boolean {
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
