import { expect } from 'chai';
import fc from 'fast-check';
import { history, redo, undo } from 'prosemirror-history';
import { AllSelection, type Command, EditorState, NodeSelection, Selection } from 'prosemirror-state';
import {
  addBlock,
  blockAt,
  chooseAround,
  chosenBlock,
  copyBlock,
  moveBlock,
  removeBlock,
  saidOf,
  setMail,
} from '../../../console/mail-editor/model/acts.ts';
import { findingsIn, refusalsIn } from '../../../console/mail-editor/model/checks.ts';
import { contentOf, docOf } from '../../../console/mail-editor/model/convert.ts';
import { keptFooter } from '../../../console/mail-editor/model/footer.ts';
import { freshBlock } from '../../../console/mail-editor/model/fresh.ts';
import { uniqueIds } from '../../../console/mail-editor/model/ids.ts';
import { backspace, enter, lineBelow, nextCell } from '../../../console/mail-editor/model/keys.ts';
import { KINDS } from '../../../console/mail-editor/model/schema.ts';
import { setAlign, setList } from '../../../console/mail-editor/model/words.ts';
import { compiledBlocks } from '../../../core/templates/assemble/assemble.ts';
import { checkContent } from '../../../core/templates/blocks/check.ts';
import type { Block, Content } from '../../../schemas/templates/block-types.ts';

const RUNS = 100;
const RUN_MS_MAX = 60_000;
const ACTS_MAX = 25;

const all: Content = { v: 1, blocks: KINDS.map((type) => freshBlock(type, `the-${type}`)) };

function opened(content: Content): EditorState {
  return EditorState.create({ doc: docOf(content), plugins: [history(), uniqueIds()] });
}

/** The state after the act; the same one where the act cannot be done. */
function done(state: EditorState, act: Command): EditorState {
  let next = state;
  act(state, (tr) => {
    next = next.apply(tr);
  });
  return next;
}

const write: Command = ({ tr }, dispatch) => {
  dispatch?.(tr.insertText('rye'));
  return true;
};

const acts: Record<string, Command> = {
  ...{ up: moveBlock(-1), down: moveBlock(1), copy: copyBlock, remove: removeBlock, around: chooseAround },
  ...{ enter, backspace, lineBelow, next: nextCell(1), list: setList(false), numbers: setList(true) },
  ...{ center: setAlign('center'), left: setAlign('left'), write },
  ...Object.fromEntries(KINDS.map((type) => [`add ${type}`, addBlock(type)])),
};

/** Puts the cursor at a place, or chooses what is there. */
function pointed(state: EditorState, place: number): EditorState {
  const at = place % (state.doc.content.size + 1);
  const node = state.doc.nodeAt(at);
  const isBlock = node?.isBlock && NodeSelection.isSelectable(node);
  const selection = isBlock ? NodeSelection.create(state.doc, at) : Selection.near(state.doc.resolve(at));
  return state.apply(state.tr.setSelection(selection));
}

const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(acts)), fc.option(fc.nat())), { maxLength: ACTS_MAX });
const ids = (blocks: readonly Block[]) => [...JSON.stringify(blocks).matchAll(/"id":"([^"]*)"/g)].map(([, id]) => id);

/** But for frames that are too deep, which the editor says at the block. */
function faultsOf(content: Content): string[] {
  try {
    checkContent(content);
    return [];
  } catch (error) {
    const { details = '' } = error as { details?: string };
    return details.split('; ').filter((line) => !/blocks deep$/.test(line));
  }
}

describe('The acts of the editor of mails', () => {
  it('leave content that the interface takes, with ids of their own, and are taken back byte for byte', function () {
    this.timeout(RUN_MS_MAX);
    fc.assert(
      fc.property(steps, (chosen) => {
        let state = opened(all);
        for (const [name, place] of chosen) {
          if (place !== null) state = pointed(state, place);
          state = done(state, acts[name]!);
          state.doc.check();
          const { blocks } = contentOf(state.doc);
          expect(new Set(ids(blocks)).size, name).to.equal(ids(blocks).length);
          expect(ids(blocks), name).not.to.include('');
        }
        const content = contentOf(state.doc);
        expect(faultsOf(content)).to.deep.equal([]);
        for (let left = 0; left <= 3 * ACTS_MAX; left += 1) state = done(state, undo);
        expect(JSON.stringify(contentOf(state.doc))).to.equal(JSON.stringify(all));
      }),
      { numRuns: RUNS },
    );
  });

  it('leave a button its words, wherever Enter is pressed in it', () => {
    const button: Block = { id: 'go', type: 'button', spans: [{ text: 'Go' }], href: 'https://example.com/' };
    const content: Content = { v: 1, blocks: [button] };
    for (const at of [1, 2, 3]) {
      const state = done(pointed(opened(content), at), enter);
      expect(contentOf(state.doc).blocks.map(({ type }) => type)).to.deep.equal(['button', 'text']);
      expect(contentOf(state.doc).blocks[0]).to.deep.equal(button);
    }
  });

  it('move a block through every place, into frames and out of them, and back', () => {
    const inside: Block = { ...(freshBlock('columns', 'two') as Block<'columns'>) };
    const content: Content = { v: 1, blocks: [freshBlock('space', 'gap'), inside, freshBlock('footer', 'end')] };
    let state = opened(content);
    state = state.apply(state.tr.setSelection(NodeSelection.create(state.doc, 0)));
    const said: string[] = [];
    const move = (direction: 1 | -1) => {
      let moved = false;
      moveBlock(direction)(state, (tr) => {
        said.push(saidOf(tr) ?? '');
        state = state.apply(tr);
        moved = true;
      });
      return moved;
    };
    while (move(1));
    expect(said).to.deep.equal([
      ...['in column 1, 1 of 1', 'in column 2, 1 of 1', '2 of 3', '3 of 3'].map((where) => `Space is moved: ${where}.`),
    ]);
    expect(chosenBlock(state)?.node.attrs.props.id).to.equal('gap');
    while (move(-1));
    expect(JSON.stringify(contentOf(state.doc))).to.equal(JSON.stringify(content));
  });

  it('keep columns out of columns, and the footer at the top', () => {
    const content: Content = { v: 1, blocks: [freshBlock('columns', 'two')] };
    const state = opened(content);
    const column = blockAt(state.doc, 'two')!.at + 2;
    const within = done(pointed(done(state, addBlock('text', column)), column + 2), addBlock('columns'));
    expect(contentOf(within.doc).blocks.map(({ type }) => type)).to.deep.equal(['columns', 'columns']);
    const footed = done(pointed(done(state, addBlock('text', column)), column + 2), addBlock('footer'));
    expect(contentOf(footed.doc).blocks.map(({ type }) => type)).to.deep.equal(['columns', 'footer']);
  });
});

describe('The checks of the editor of mails', () => {
  const known = { isMarketing: true, variables: new Set(['firstName']), bytes: 1_000, brand: null };
  const found = (blocks: Block[], given = {}) =>
    findingsIn({ v: 1, blocks }, { ...known, ...given }).map(({ blockId, text }) => `${blockId}: ${text}`);
  const footer = freshBlock('footer', 'end');
  const words = (spans: object[]): Block => ({ id: 'a', type: 'text', nodes: [{ type: 'paragraph', spans }] }) as Block;

  it('measure colours of the brand by those that it has', () => {
    const brand = { colours: { primary: '#1d4f2b', text: '#222222', background: '#f0f0f0', paper: '#fffef8' } };
    const of = (colour: string) => [words([{ text: 'rye', colour }]), footer];
    expect(found(of('brand.primary'), { brand })).to.deep.equal([]);
    expect(found(of('brand.background'), { brand })).to.deep.equal([
      'a: has words that are hard to read on this paper.',
    ]);
    // Nothing is said before it is loaded.
    expect(found(of('brand.background'))).to.deep.equal([]);
  });

  it('find what is missing, hard to read, too long and unknown, and nothing else', () => {
    const sound: Block[] = [
      words([
        { text: 'Hello ' },
        { variable: 'firstName' },
        { variable: 'brand.name' },
        { text: 'red', colour: '#b3261a' },
      ]),
      {
        id: 'b',
        type: 'button',
        spans: [{ text: 'Go' }],
        href: 'https://bakery.example/',
        background: '#222222',
        colour: '#ffffff',
      },
      { id: 'c', type: 'each', list: 'items', blocks: [words([{ variable: 'price' }])] },
      footer,
    ];
    expect(found(sound)).to.deep.equal([]);
    expect(found([])).to.have.length(2);
    expect(found([words([{ text: 'x' }])], { isMarketing: false })).to.deep.equal([]);
    expect(found(sound, { bytes: 200_000 })[0]).to.include('102 kB');
    expect(found([words([{ variable: 'price' }]), footer])[0]).to.include('a: names “price”');
    expect(found([words([{ variable: 'price' }]), footer], { variables: null })).to.deep.equal([]);
    expect(found([words([{ text: 'x', colour: '#dddddd' }]), footer])[0]).to.include('hard to read');
    expect(found([{ id: 'd', type: 'image', src: 'https://a.example/b.png', alt: '' }, footer])[0]).to.include(
      'd: has no words',
    );
  });

  it('read the block and the field from a refusal of the interface', async () => {
    const inside = { ...freshBlock('button', 'deep'), href: 'javascript:x' } as Block;
    const columns = {
      ...freshBlock('columns', 'two'),
      columns: [
        { share: 1, blocks: [inside] },
        { share: 1, blocks: [] },
      ],
    } as Block;
    const link = { ...freshBlock('menu', 'row'), links: [{ label: 'x', href: 'nowhere' }] } as Block;
    const error = await compiledBlocks({ v: 1, blocks: [columns, link] }).catch((thrown) => thrown);
    const refusals = refusalsIn(error.details);
    expect(refusals.map(({ blockId, field }) => [blockId, field])).to.deep.equal([
      ['deep', 'href'],
      ['row', 'links/0/href'],
    ]);
    expect(refusals[0]!.text).to.include('must be an address of http');
  });
});

describe('The footer of marketing mail', () => {
  const content: Content = {
    v: 1,
    blocks: [
      { id: 'words', type: 'text', nodes: [{ type: 'paragraph', spans: [{ text: 'Rye' }] }] },
      { id: 'end', type: 'footer', unsubscribe: 'Leave', spans: [{ text: 'From us' }] },
    ],
  };
  const kept = () => EditorState.create({ doc: docOf(content), plugins: [history(), uniqueIds(), keptFooter()] });
  const typesIn = (state: EditorState) => contentOf(state.doc).blocks.map(({ type }) => type);
  const footerIn = (state: EditorState) => contentOf(state.doc).blocks.find(({ type }) => type === 'footer');
  const chosen = (state: EditorState) =>
    done(state, ({ tr, doc }, dispatch) => {
      const found = blockAt(doc, 'end');
      if (found) dispatch?.(tr.setSelection(NodeSelection.create(doc, found.at)));
      return true;
    });

  const ways: Record<string, (state: EditorState) => EditorState> = {
    'its removal': (state) => done(chosen(state), removeBlock),
    'a key over all of the mail': (state) =>
      done(state, ({ tr, doc }, dispatch) => {
        dispatch?.(tr.setSelection(new AllSelection(doc)).deleteSelection());
        return true;
      }),
    'a cut': (state) =>
      done(chosen(state), ({ tr }, dispatch) => {
        dispatch?.(tr.deleteSelection().setMeta('uiEvent', 'cut'));
        return true;
      }),
    'words in its place': (state) =>
      done(chosen(state), ({ tr }, dispatch) => {
        dispatch?.(tr.replaceSelectionWith(docOf({ v: 1, blocks: [freshBlock('divider', 'line')] }).firstChild!));
        return true;
      }),
  };
  for (const [name, way] of Object.entries(ways))
    it(`comes back after ${name}, as it was, and after undo and redo too`, () => {
      let state = way(kept());
      expect(footerIn(state)).to.deep.equal(content.blocks[1]);
      state = done(state, undo);
      expect(contentOf(state.doc)).to.deep.equal(content);
      state = done(state, redo);
      expect(footerIn(state)).to.deep.equal(content.blocks[1]);
      expect(typesIn(state).filter((type) => type === 'footer')).to.have.length(1);
    });

  it('leaves a line to write in where nothing else is left', () => {
    const state = ways['a key over all of the mail']?.(kept());
    expect(state && typesIn(state)).to.deep.equal(['text', 'footer']);
    expect(state && typesIn(done(state, write))).to.deep.equal(['text', 'footer']);
  });

  it('stays one when a copy of it is pasted, and may be moved', () => {
    const pasted = done(kept(), ({ tr, doc }, dispatch) => {
      dispatch?.(tr.insert(0, doc.lastChild!));
      return true;
    });
    expect(typesIn(pasted).filter((type) => type === 'footer')).to.have.length(1);
    const moved = done(chosen(kept()), moveBlock(-1));
    expect(typesIn(moved)).to.deep.equal(['footer', 'text']);
  });

  it('goes with the version of another person, and from mail that is not marketing', () => {
    const other = docOf({ v: 1, blocks: content.blocks.slice(0, 1) });
    const taken = done(kept(), (state, dispatch) => {
      dispatch?.(setMail(state, other));
      return true;
    });
    expect(typesIn(taken)).to.deep.equal(['text']);
    expect(typesIn(done(chosen(opened(content)), removeBlock))).to.deep.equal(['text']);
  });
});
