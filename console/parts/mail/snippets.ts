import { api } from '../../api.ts';

const LISTED_MAX = 100;

/** Of the published snippets: code takes those of code, content blocks take those of content blocks. */
export async function snippetNames(madeOf: 'code' | 'editor', signal?: AbortSignal): Promise<string[]> {
  const { snippets } = await api.snippets.list({ limit: LISTED_MAX }, signal && { signal });
  return snippets
    .filter(({ builderType, publishedVersion }) => builderType === madeOf && publishedVersion !== null)
    .map(({ name }) => name);
}
