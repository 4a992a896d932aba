/** The collections of the database. Each noun adds its own in its model: `declare module './collections.ts'`. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Collections {}
