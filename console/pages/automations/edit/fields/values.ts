/** A text that is no number is sent as it is: the refusal says why. */
export function numberIn(text: string): number {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : (text as unknown as number);
}
