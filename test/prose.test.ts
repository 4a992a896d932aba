import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sources } from './support/sources.ts';

/** Comments, test titles, log lines and messages are written as CONTRIBUTING.md says. These habits crept in before. */
const tics: Record<string, RegExp> = {
  'a sentence that begins with a bare What': /(?:^|[.:] )What\b(?! (?:is|are|does|do|did|was|were) [^.]*\?)/,
  'somebody, nobody, whoever, whom': /\b(?:[Ss]omebody|[Nn]obody|[Ww]hoever|[Ww]hom)\b/,
  'One that, those that at the beginning': /(?:^|[.:] )(?:One|Those) (?:that|who|which)\b/,
  stands: /\bstands?\b(?!-| for \w+ reasons)/,
  'goes on, goes back, gone on with': /\b(?:goes|go|going|gone) (?:on|back)\b/,
  'anew, meanwhile, beside': /\b(?:anew|[Mm]eanwhile|[Bb]eside)\b/,
  'tell, told': /\b(?:[Tt]ells?|[Tt]old)\b/,
};
const root = join(import.meta.dirname, '..');
const rooms = [
  'schemas',
  'core',
  'api',
  'workflows',
  'activities',
  'workers',
  'platform',
  'cli',
  'client',
  'console',
  'scripts',
  'stack',
  'lab',
  'test',
];

/** Files whose comments are still to be rewritten, with the number of tics that they may have. The numbers only go down. */
const allowed: Record<string, number> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'prose-allowed.json'), 'utf8'),
);

/** The terms in italics in the last column of the glossary, each with the word to use. */
const glossary = [...readFileSync(join(root, 'docs/GLOSSARY.md'), 'utf8').matchAll(/^\| (.+?) \| .* \| (.*?) ?\|$/gm)];
const avoided = glossary.flatMap(([, word = '', terms = '']) =>
  [...terms.matchAll(/\*([^*]+)\*/g)].map(([, term = '']) => ({
    term,
    word,
    pattern: new RegExp(`\\b${term}s?\\b`, 'i'),
  })),
);

describe('Comments and test titles', () => {
  it('are plain English: no tics but those still allowed', () => {
    const faults = rooms.flatMap(written).flatMap((file) => {
      const found = ticsOf(proseOf(readFileSync(join(root, file), 'utf8')));
      const most = allowed[file] ?? 0;
      if (found.length > most) return [`${file} (${found.length} of at most ${most}): ${found.join(' | ')}`];
      return [];
    });
    expect(faults).to.deep.equal([]);
  });

  it('have an allow list that only shrinks', () => {
    const loose = Object.entries(allowed).filter(([file, most]) => {
      const text = readFileSync(join(root, file), 'utf8');
      return ticsOf(proseOf(text)).length < most;
    });
    expect(loose.map(([file]) => `lower the number of ${file} in test/prose-allowed.json`)).to.deep.equal([]);
  });

  it('use no word that the glossary avoids in italics', () => {
    const faults = rooms
      .flatMap(written)
      .flatMap((file) =>
        proseOf(readFileSync(join(root, file), 'utf8')).flatMap((text) =>
          avoided
            .filter(({ pattern }) => pattern.test(text))
            .map(({ term, word }) => `${file}: "${term}"; the glossary says "${word}": ${text.slice(0, 100)}`),
        ),
      );
    expect(faults).to.deep.equal([]);
    expect(avoided.length).to.be.above(30);
  });

  it('with each of the tics are found', () => {
    const samples = [
      '/** What is claimed and has no dot goes back. */',
      '// Whoever waits there is held.',
      '/** One that was cut short is repeated. */',
      '// The address stands in the list.',
      '// It goes on with the next one.',
      '/** Begun anew when another call was faster. */',
      '// The run is told to stop.',
      "it('lets nobody in', () => {});",
    ];
    for (const sample of samples) expect(ticsOf(proseOf(sample)), sample).not.to.deep.equal([]);
    expect(
      ticsOf(proseOf("const what = 'somebody'; // A range that ran out of time resumes at nextSeq.")),
    ).to.deep.equal([]);
  });
});

describe('The glossary', () => {
  it('has one line for each word', () => {
    const words = glossary.flatMap(([, word = '']) => (/^(Word|-+)$/.test(word) ? [] : [word]));
    expect(words.filter((word, at) => words.indexOf(word) !== at)).to.deep.equal([]);
    expect(words.length).to.be.above(100);
  });
});

function ticsOf(comments: string[]): string[] {
  return comments.flatMap((comment) =>
    Object.entries(tics).flatMap(([name, pattern]) =>
      pattern.test(comment) ? [`${name}: "${comment.slice(0, 100)}"`] : [],
    ),
  );
}

function proseOf(source: string): string[] {
  const titles = source.matchAll(/^ *(?:it|describe)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm);
  return [...commentsOf(source), ...[...titles].map(([, , title = '']) => title)];
}

/** The text of each comment; strings are passed over. */
function commentsOf(source: string): string[] {
  const parts = source.matchAll(
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*([\s\S]*?)\*\/|\/\/([^\n]*)/g,
  );
  return [...parts].flatMap(([, block, line]) => {
    const text = block ?? line;
    return text === undefined
      ? []
      : [
          text
            .replace(/\s*\n\s*\*?\s*/g, ' ')
            .replace(/^\*/, '')
            .trim(),
        ];
  });
}

function written(folder: string): string[] {
  return sources(folder, (name) => /\.tsx?$/.test(name) && !name.startsWith('dist/')).filter(
    (file) => !readFileSync(join(root, file), 'utf8').startsWith('// Written by'),
  );
}
