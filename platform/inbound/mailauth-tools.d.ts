/** A part of the verifier without types of its own. */
declare module 'mailauth/lib/tools.js' {
  interface Field {
    /** In small letters. */
    key: string | undefined;
    line: Buffer;
  }

  const tools: {
    parseHeaders(header: Buffer): { parsed: Field[] };
    parseDkimHeaders(line: Buffer): { parsed: Record<string, unknown> };
  };
  export default tools;
}
