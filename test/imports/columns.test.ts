import { expect } from 'chai';
import { delimiterOf } from '../../core/base/work/csv-records.ts';
import { readCells, readColumns } from '../../core/people/imports/columns.ts';

const columnsOf = (names: string[]) => {
  const read = readColumns(names);
  if ('problem' in read) throw new Error(read.problem);
  return read.columns;
};

describe('Columns of an imported file', () => {
  it('are known whatever their case, spaces and underscores; our own export names others that are passed over', () => {
    expect(columnsOf(['E-Mail', 'first_name', 'Last Name', 'USERID', 'Mobile'])).to.deep.equal(
      ['email', 'firstName', 'lastName', 'userId', 'mobile'].map((name) => ({ kind: 'field', name })),
    );
    const ignored = columnsOf(['email', 'id', 'createdAt', 'segmentIds', 'projectId', '__proto__', '']).slice(1);
    expect(new Set(ignored.map(({ kind }) => kind))).to.deep.equal(new Set(['ignored']));
  });

  it('that are no contact field are properties, with names that properties may have', () => {
    expect(
      columnsOf(['email', 'contactProperties.plan', 'customFields.age', 'Größe in cm', 'x'.repeat(80)]),
    ).to.deep.equal([
      { kind: 'field', name: 'email' },
      { kind: 'property', name: 'plan' },
      { kind: 'property', name: 'age' },
      { kind: 'property', name: 'Gr_e_in_cm' },
      { kind: 'property', name: 'x'.repeat(64) },
    ]);
  });

  it('must have one for email, and none twice', () => {
    expect(readColumns(['firstName'])).to.have.property('problem');
    expect(readColumns(['email', 'Email'])).to.have.property('problem');
    expect(readColumns(['email', 'a b', 'a_b'])).to.have.property('problem');
  });

  it('an empty cell says nothing; a cell that an export defused is itself again', () => {
    const columns = columnsOf(['email', 'firstName', 'plan', 'contactProperties', 'listIds']);
    expect(readCells(columns, ['a@b.test', "'=1+1", '', '{"plan":"gold","n":1}', 'x y,z'])).to.deep.equal({
      ok: true,
      row: {
        email: 'a@b.test',
        firstName: '=1+1',
        contactProperties: { plan: 'gold', n: 1 },
        listIds: ['x', 'y', 'z'],
      },
    });
    expect(readCells(columns, ['a@b.test'])).to.deep.equal({ ok: true, row: { email: 'a@b.test' } });
    expect(readCells(columns, ['a@b.test', '', '', '[1]']).ok).to.equal(false);
    expect(readCells(columns, ['a', 'b', 'c', '{}', '', 'more']).ok).to.equal(false);
    expect(readCells(columns, ['a\ufffd@b.test']).ok).to.equal(false);
  });

  it('are separated by whichever sign the first line has most of', () => {
    expect(['a,b', 'a;b;c', 'a\tb', 'a', 'a;b,c,d'].map(delimiterOf)).to.deep.equal([',', ';', '\t', ',', ',']);
  });
});
