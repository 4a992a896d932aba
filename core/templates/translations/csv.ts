import { isUtf8 } from 'node:buffer';
import { TRANSLATIONS_FILE_MAX } from '../../../schemas/templates/translations.ts';
import { invalid } from '../../base/errors.ts';
import type { By } from '../../base/maker.ts';
import type { Project } from '../../base/model.ts';
import { csvRow, withoutFormulaPrefix } from '../../base/text/csv.ts';
import { canonicalTag, tagToWriteIn } from '../../base/text/languages/tags.ts';
import { breather } from '../../base/work/breathe.ts';
import { type CsvRecord, csvRecords, delimiterOf, FileProblem } from '../../base/work/csv-records.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { TemplateContent, Translation } from '../model.ts';
import { brandOf } from '../project-brand.ts';
import { readTemplate } from '../publish.ts';
import { baseLanguage, withParts } from '../translated/compile.ts';
import { baseTexts } from '../translated/states.ts';
import {
  changeDraft,
  LANGUAGES_MAX,
  madeOf,
  type TranslationsAt,
  translationsAt,
  withTranslations,
} from './translations.ts';

type Tenant = Pick<Project, '_id'>;

/** The texts of a template as a table: block, field, the text of the base, and a column for each language. */
const FIRST = ['block', 'field', 'base'];
const FAULTS_MAX = 20;

export async function translationsCsv(
  deps: TemplatesDeps,
  project: Tenant,
  templateId: string,
  version = 'draft',
): Promise<string> {
  const { template } = await readTemplate(deps, project, templateId, version);
  const { translations = [] } = template;
  const texts = translations.map((one) => new Map(one.texts.map(({ name, text }) => [name, text])));
  const rows = baseTexts(template, await brandOf(deps, project)).map(({ name, base }) =>
    csvRow([...placeOf(name), base, ...texts.map((known) => known.get(name) ?? '')]),
  );
  return [csvRow([...FIRST, ...translations.map(({ language }) => language)]), ...rows].join('');
}

/**
 * Saves the file of `translationsCsv` as the draft: the languages that it has a column for, and of them the texts that it has a row for. An
 * empty cell is no text. Nothing is written where a line is at fault.
 */
export async function importTranslations(
  deps: TemplatesDeps,
  project: Tenant,
  templateId: string,
  { file, newestVersion }: { file: Buffer; newestVersion: number | undefined },
  by: By,
): Promise<TranslationsAt> {
  const table = await readTable(file);
  const brand = await brandOf(deps, project);
  const change = async (content: TemplateContent) => {
    const bases = baseTexts(content, brand);
    refuseFaults(table, new Set(bases.map(({ name }) => name)), canonicalTag(baseLanguage(content)));
    const pause = breather();
    const changed: Translation[] = [];
    for (const [column, language] of table.languages.entries()) {
      await pause();
      const translation = madeOf(content, language, textsOf(content, table, { column, language }), {
        bases: new Map([...bases.map(({ name, base }) => [name, base] as const), ...table.bases]),
      });
      changed.push(await withParts(deps, content, translation, { project, brand, path: `${language}/` }));
    }
    return withTranslations(content, changed);
  };
  return translationsAt(await changeDraft(deps, project, templateId, { newestVersion, change, by }), brand);
}

interface Table {
  languages: string[];
  rows: Array<{ name: string; line: number; cells: string[] }>;
  /** As they were exported: a text is one of them, also when the base was changed since. */
  bases: ReadonlyMap<string, string>;
}

async function readTable(file: Buffer): Promise<Table> {
  const [head, ...records] = await recordsOf(file);
  if (!head) throw refused(['line 1: names no columns: the file is empty']);
  const languages = languagesOf(head);
  const rows = records.map(({ cells, line }) => {
    const [block = '', field = '', , ...texts] = cells.map(withoutFormulaPrefix);
    return { name: block === '' ? field : `${block}/${field}`, line, cells: texts };
  });
  const bases = new Map(records.map(({ cells }, index) => [rows[index]!.name, withoutFormulaPrefix(cells[2] ?? '')]));
  return { languages, rows, bases };
}

async function recordsOf(file: Buffer): Promise<CsvRecord[]> {
  if (!isUtf8(file)) throw refused(['the file is not valid UTF-8; save it as UTF-8']);
  const delimiter = delimiterOf(file.subarray(0, 4_096).toString('utf8').split(/\r?\n/, 1)[0] ?? '');
  const records: CsvRecord[] = [];
  try {
    const options = { delimiter, bom: true, rowBytesMax: TRANSLATIONS_FILE_MAX };
    for await (const record of csvRecords([file], options)) records.push(record);
  } catch (error) {
    if (error instanceof FileProblem) throw refused([error.message]);
    throw error;
  }
  return records;
}

function languagesOf({ cells }: CsvRecord): string[] {
  const names = cells.map((cell) => cell.trim());
  if (FIRST.some((name, index) => names[index]?.toLowerCase() !== name))
    throw refused([`line 1: must begin with ${FIRST.join(', ')}`]);
  const tags = names.slice(FIRST.length).map((name) => ({ name, tag: tagToWriteIn(name) }));
  const faults = tags.flatMap(({ name, tag }, index) => {
    const isTwice = tags.findIndex((one) => one.tag === tag) < index;
    if (tag !== null && !isTwice) return [];
    return [
      `line 1: "${name.slice(0, 40)}" ${tag === null ? 'is no language tag such as fr or pt-BR' : 'stands twice'}`,
    ];
  });
  if (tags.length === 0) faults.push('line 1: names no language behind base');
  if (tags.length > LANGUAGES_MAX) faults.push(`line 1: names more than ${LANGUAGES_MAX} languages`);
  if (faults.length > 0) throw refused(faults);
  return tags.map(({ tag }) => tag as string);
}

function refuseFaults({ rows, languages }: Table, known: ReadonlySet<string>, own: string | null): void {
  const seen = new Set<string>();
  const faults = rows.flatMap(({ name, line, cells }) => {
    const sentence = !known.has(name)
      ? `"${name.slice(0, 100)}" names no text of the template`
      : seen.has(name)
        ? `"${name.slice(0, 100)}" stands twice`
        : cells.length > languages.length
          ? 'has more cells than the first line has columns'
          : null;
    seen.add(name);
    return sentence === null ? [] : [`line ${line}: ${sentence}`];
  });
  if (own !== null && languages.includes(own))
    faults.unshift(`line 1: "${own}" is the language of the template itself`);
  if (faults.length > 0) throw refused(faults);
}

function refused(faults: readonly string[]) {
  const details = faults
    .slice(0, FAULTS_MAX)
    .map((fault) => `file: ${fault}`)
    .join('; ');
  return invalid(`The file cannot be read: ${details}`, details);
}

/** Texts that the file has no row for stay. */
function textsOf(
  content: TemplateContent,
  { rows }: Table,
  { column, language }: { column: number; language: string },
): Map<string, string> {
  const stored = content.translations?.find((one) => one.language === language)?.texts ?? [];
  const texts = new Map(stored.map(({ name, text }) => [name, text]));
  for (const { name, cells } of rows) texts.set(name, cells[column] ?? '');
  return new Map([...texts].filter(([, text]) => text !== ''));
}

function placeOf(name: string): [block: string, field: string] {
  const end = name.indexOf('/');
  return end < 0 ? ['', name] : [name.slice(0, end), name.slice(end + 1)];
}
