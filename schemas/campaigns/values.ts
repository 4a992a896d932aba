export const line = (maxLength: number) => ({ type: 'string', maxLength, format: 'line' }) as const;
export const number = { type: 'number' } as const;
export const people = { type: 'integer', minimum: 0 } as const;
export const integer = { type: 'integer' } as const;
