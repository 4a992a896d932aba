import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { endpointTable } from '../../api/http/table.ts';
import { dashed } from '../../client/cli/arguments.ts';
import type { Context } from '../../client/cli/command.ts';
import { commands } from '../../client/cli/commands.ts';
import { globalFlags, helpOf } from '../../client/cli/help.ts';
import { allOperations, operationCommand } from '../../client/cli/operation.ts';
import { printEntries } from '../../client/cli/print.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import { createMetrics } from '../../platform/metrics.ts';
import type { JsonSchema } from '../../schemas/schema.ts';
import { clientEndpoints } from '../../scripts/client/operations.ts';
import { temporaryFolder } from '../stack/temporary.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { useBuiltClient } from './built-client.ts';
import { SENDER } from './client-of.ts';

interface Ran {
  code: number | null;
  out: string;
  error: string;
}

interface Running {
  child: ChildProcess;
  out(): string;
  error(): string;
  ended: Promise<Ran>;
}

describe('The command everpost', function () {
  // Each test starts several processes.
  this.timeout(120_000);
  const environment = useEnvironment();
  const built = useBuiltClient();
  const folder = temporaryFolder();
  before(async () => {
    const { deps, own } = environment;
    await seedVerifiedDomain(deps, own.project, 'mail.example.com', new ObjectId());
    await until(async () => deps.signals.isUp(), Boolean);
  });

  const file = (name: string, text: string) => {
    writeFileSync(join(folder(), name), text);
    return join(folder(), name);
  };

  function start(args: string[], { input = '', env = {} as NodeJS.ProcessEnv, isTerminal = false } = {}): Running {
    const settings = {
      ...process.env,
      ...{ EVERPOST_API_KEY: environment.own.projectKey, EVERPOST_BASE_URL: environment.url, COLUMNS: '80' },
      ...env,
    };
    const quoted = [process.execPath, built.command, ...args]
      .map((arg) => `'${arg.replaceAll("'", "'\\''")}'`)
      .join(' ');
    const child = isTerminal
      ? spawn('script', ['-qfec', `stty cols 80; exec ${quoted}`, '/dev/null'], { env: settings })
      : spawn(process.execPath, [built.command, ...args], { env: settings });
    let [out, error] = ['', ''];
    child.stdout.on('data', (piece) => {
      out += piece;
    });
    child.stderr.on('data', (piece) => {
      error += piece;
    });
    if (!isTerminal) child.stdin.end(input);
    const ended = new Promise<Ran>((resolve) => child.on('close', (code) => resolve({ code, out, error })));
    return { child, out: () => out, error: () => error, ended };
  }
  const run = (args: string[], more?: Parameters<typeof start>[1]) => start(args, more).ended;
  const json = ({ out }: Ran) =>
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('send queues a mail, of flags or of files, to one address or to several', async () => {
    const html = file('mail.html', '<p>Hello {{name}}</p>');
    const from = `The shop <${SENDER}>`;
    const one = ['send', '--from', from, '--to', 'Ada <ada@example.com>', '--subject', 'Hello', '--html', `@${html}`];
    const sent = await run([...one, '--dynamic-data.name', 'Ada', '--json']);
    expect(sent).to.include({ code: 0, error: '' });
    const { emailId } = json(sent)[0];
    const row = await environment.deps.db.messages.findOne({ _id: new ObjectId(emailId as string) });
    expect(row).to.include({ email: 'ada@example.com', subject: 'Hello' });
    const several = ['--to', 'a@example.com', '--to', 'nonsense', '--text', '@-', '--subject', 'Two', '--from', SENDER];
    const two = await run(['send', ...several, '--json'], { input: 'From standard input.' });
    expect(two.code).to.equal(1);
    expect(json(two)[0]).to.include({ successCount: 1, failedCount: 1 });
    const shown = await run(['send', '--from', SENDER, '--to', 'b@example.com', '--subject', 'B', '--text', 'B']);
    expect(shown.out).to.match(/^emailId: [0-9a-f]{24}$/m);
  });

  it('every operation is a command: its ids as words, its body and query as flags', async () => {
    const created = await run(['contacts', 'create', '--email', 'cli@example.com', '--first-name', '007', '--json']);
    expect(json(created)[0]).to.include({ email: 'cli@example.com', firstName: '007' });
    const { id } = json(created)[0];
    const properties = ['--contactProperties.plan', 'gold', '--contact-properties.age', '7'];
    await run(['custom-fields', 'create', '--field-name', 'plan', '--field-type', 'string']);
    await run(['customFields', 'create', '--fieldName', 'age', '--fieldType=number']);
    const updated = await run(['contacts', 'update', id, ...properties, '--json']);
    expect(json(updated)[0].contactProperties).to.deep.equal({ plan: 'gold', age: 7 });
    const body = file('list.json', '{"name":"From a file","filterCriteria":null}');
    const list = await run(['contact-lists', 'create', '--data', `@${body}`, '--name', 'By flag', '--json']);
    expect(json(list)[0], list.error).to.include({ name: 'By flag' });
    const added = await run([
      'contact-lists',
      'add-contacts',
      '--contact-list-id',
      json(list)[0].id,
      '--emails',
      'a1@example.com',
      '--emails',
      'a2@example.com',
      '--json',
    ]);
    expect(json(added)[0]).to.include({ created: 2 });
    const campaign = await run([
      'campaigns',
      'create',
      '--name',
      'C',
      '--subject',
      'C',
      '--html-template',
      '<p>x</p>',
      '--from.email',
      SENDER,
      '--no-publish',
      '--to-lists',
      json(list)[0].id,
      '--json',
    ]);
    expect(json(campaign)[0], campaign.error).to.include({ status: 'draft' });
    const gone = await run(['contacts', 'delete', id]);
    expect(gone).to.deep.equal({ code: 0, out: '', error: 'Done.\n' });
  });

  it('a value inside an object is a number only where the number prints the same', async () => {
    const texts = { version: '1.10', order: '12345678901234567890', room: '007', share: '1e3', below: '-0', gap: ' 7' };
    const given = { ...texts, count: '7', ratio: '-0.5' };
    const flags = Object.entries(given).flatMap(([name, value]) => [`--contact-properties.${name}`, value]);
    const made = await run(['contacts', 'create', '--email', 'texts@example.com', ...flags, '--json']);
    expect(made.code, made.error).to.equal(0);
    expect(json(made)[0].contactProperties).to.deep.equal({ ...texts, count: 7, ratio: -0.5 });
  });

  it('a value inside an object that the schema has as text is text, whatever it looks like', async () => {
    const words = [
      'campaigns',
      'create',
      '--name',
      'C',
      '--subject',
      'C',
      '--html-template',
      '<p>x</p>',
      '--no-publish',
    ];
    const texts = { 'from.email': SENDER, 'from.name': '7', 'utm.campaign': 'true', 'headers.X-Priority': '1' };
    const flags = Object.entries(texts).flatMap(([name, value]) => [`--${name}`, value]);
    const made = await run([...words, ...flags, '--send-to-global-list', '--json']);
    expect(made.code, made.error).to.equal(0);
    expect(json(made)[0]).to.deep.include({ headers: { 'X-Priority': '1' } });
    expect(json(made)[0].from).to.include({ name: '7' });
    expect(json(made)[0].utm).to.include({ campaign: 'true' });
  });

  it('a list is a table with a note of its size, or one page of JSON, or everything a line each', async () => {
    const bulk = Array.from({ length: 25 }, (_, n) => ({ email: `row${n}@example.com`, firstName: 'Row' }));
    await run(['contacts', 'bulk-update', '--data', JSON.stringify({ contacts: bulk })]);
    const shown = await run(['contacts', 'list', '--search', 'row1', '--limit', '4']);
    expect(shown.code).to.equal(0);
    const lines = shown.out.trimEnd().split('\n');
    expect(lines[0]).to.match(/^id +email +firstName/);
    expect(lines).to.have.length(5);
    for (const line of lines.slice(1)) expect(line).to.match(/^[0-9a-f]{24} {2}row1\d?@example\.com +Row/);
    expect(shown.error).to.equal('4 of 11; --page 2 is next, --all is all of them\n');
    const page = await run(['contacts', 'list', '--search', 'row', '--limit', '2', '--json']);
    expect(json(page)[0].pagination).to.include({ total: 25, limit: 2 });
    const all = await run(['contacts', 'list', '--search', 'row', '--all', '--json']);
    expect(new Set(json(all).map(({ email }) => email)).size).to.equal(25);
    const file = join(folder(), 'contacts.csv');
    const saved = await run(['contacts', 'export', '--output', file]);
    expect(saved.code).to.equal(0);
    expect(readFileSync(file, 'utf8')).to.contain('row24@example.com');
    const unwritable = await run(['contacts', 'export', '--output', join(folder(), 'none', 'contacts.csv')]);
    expect(unwritable).to.include({ code: 2, out: '' });
    expect(unwritable.error).to.contain('cannot be written');
    expect((await run(['contacts', 'export'])).out).to.equal(readFileSync(file, 'utf8'));
  });

  it('control characters in what others wrote do not reach the terminal', async () => {
    await run(['custom-fields', 'create', '--field-name', 'note', '--field-type', 'string']);
    const note = 'x\u001b[2Jy\u009b1m';
    const made = await run(['contacts', 'create', '--email', 'evil@example.com', '--contact-properties.note', note]);
    expect(made.out)
      .to.contain('[2Jy')
      .and.to.not.match(/(?!\n)\p{Cc}/u);
    const printed: string[] = [];
    const context = { isJson: false, print: (line: string) => printed.push(line) } as unknown as Context;
    printEntries(context, [{ id: '1', name: note }]);
    expect(printed.join('\n'))
      .to.contain('[2Jy')
      .and.to.not.match(/(?!\n)\p{Cc}/u);
  });

  it('a refusal of the API ends with 1 and its reason; wrong usage ends with 2 and asks nothing', async () => {
    const refused = await run(['contacts', 'get', 'f'.repeat(24)]);
    expect(refused).to.include({ code: 1, out: '' });
    expect(refused.error).to.match(
      /^everpost: There is no such contact.* \(CONTACT_NOT_FOUND, status 404, request [\w-]+\)\n$/,
    );
    const machine = await run(['contacts', 'get', 'f'.repeat(24), '--json']);
    expect(JSON.parse(machine.error).error).to.include({ code: 'CONTACT_NOT_FOUND', status: 404 });
    const wrong: [string[], string][] = [
      [['nonsense'], 'There is no command nonsense'],
      [['campaigns', 'nonsense'], 'There is no command campaigns nonsense'],
      [['campaigns', 'pause'], 'CAMPAIGN-ID'],
      [['campaigns', 'pause', 'a', 'b'], 'b is too much'],
      [['campaigns', 'watch'], 'Give the id of the campaign'],
      [['campaigns', 'watch', 'a', 'b', 'c'], 'b c is too much: give the id of the campaign alone.'],
      [['events', 'tail', 'a'], 'a is too much.'],
      [['send', 'a'], 'a is too much: use --to.'],
      [['contacts', 'list', '--limti', '3'], '--limti'],
      [['contacts', 'list', '--limit'], 'needs a value'],
      [['contacts', 'list', '--limit', 'many'], '--limit is a number'],
      [['contacts', 'create', '--data', '[1]', '--email', 'a'], '--data is a JSON object'],
      [['contacts', 'import', join(folder(), 'none.csv')], 'There is no file'],
      [['send', '--from', SENDER, '--to', 'a@example.com'], '--html, --text or --template'],
      [['send', '--from', SENDER, '--text', 'x'], '--to'],
      [['contacts', 'create', '--email', `@${join(folder(), 'none.txt')}`], 'cannot be read'],
    ];
    for (const [args, reason] of wrong) {
      const { code, out, error } = await run(args, { env: { EVERPOST_BASE_URL: 'http://127.0.0.1:9' } });
      expect({ code, out }, args.join(' ')).to.deep.equal({ code: 2, out: '' });
      expect(error, args.join(' ')).to.contain(reason).and.to.contain('everpost help');
    }
    const keyless = await run(['contacts', 'list'], { env: { EVERPOST_API_KEY: '' } });
    expect(keyless.code).to.equal(2);
    expect(keyless.error).to.contain('EVERPOST_API_KEY');
  });

  it('help lists commands, the operations of a resource, and the flags of one', async () => {
    const overview = await run(['help'], { env: { EVERPOST_API_KEY: '' } });
    expect(overview.code).to.equal(0);
    for (const { words } of commands) expect(overview.out).to.contain(words.join(' '));
    expect((await run([])).out).to.equal(overview.out);
    const campaigns = await run(['help', 'campaigns']);
    expect(campaigns.out)
      .to.match(/campaigns pause CAMPAIGN-ID +Pause/)
      .and.to.match(/campaigns watch ID +Show/);
    const create = await run(['campaigns', 'create', '--help']);
    expect(create.out)
      .to.match(/--name TEXT +Required\./)
      .and.to.contain('--to-lists VALUE')
      .and.to.match(/--send-mode TEXT +One of immediate, scheduled, gradual\./)
      .and.to.match(/--utm JSON +Added/);
    expect((await run(['help', 'send'])).out).to.contain('--template');
    expect(await run(['help', 'nonsense'])).to.include({ code: 2 });
    expect((await run(['--version'])).out).to.match(/^\d+\.\d+\.\d+\n$/);
  });

  it('help says of each field the sentence and the values of its schema', () => {
    for (const { operation, body, query } of clientEndpoints(endpointTable(createMetrics()))) {
      const [resource = '', verb = ''] = operation.split('.');
      const isOwn = commands.some(({ words }) => words.join('.') === `${dashed(resource)}.${verb}`);
      if (isOwn || !allOperations.some((each) => each.resource === resource && each.verb === verb)) continue;
      const said = helpOf([resource, verb]).join(' ');
      const properties = ((body ?? query)?.json.properties ?? {}) as Record<string, JsonSchema>;
      for (const [name, { description = '', enum: choices = [] }] of Object.entries(properties)) {
        expect(said, `${operation} ${name}`).to.contain(String(description));
        for (const choice of choices as unknown[])
          if (typeof choice === 'string') expect(said, `${operation} ${name}`).to.contain(choice);
      }
    }
  });

  it('no field of an operation has the name of a flag of every command, or of its own flags', () => {
    for (const named of allOperations) {
      const names = [...operationCommand(named).flags, ...globalFlags].map(({ name }) => name);
      expect(names, `${named.resource} ${named.verb}`).to.have.length(new Set(names).size);
    }
  });

  describe('watching', () => {
    const become = (id: string, status: 'sending' | 'sent' | 'failed') =>
      environment.deps.db.campaigns.updateOne({ _id: new ObjectId(id) }, { $set: { status } });
    async function newCampaign(): Promise<string> {
      const fields = { subject: 'W', htmlTemplate: '<p>W</p>', from: { email: SENDER }, publish: false };
      return (await environment.own.client.post('/campaigns', { name: 'Watched', ...fields })).body.data.id;
    }

    it('campaigns watch prints plain lines to a file, and ends with 0 when it was sent and 1 when not', async () => {
      for (const [status, code] of [
        ['sent', 0],
        ['failed', 1],
      ] as const) {
        const id = await newCampaign();
        const watching = start(['campaigns', 'watch', id]);
        await until(
          async () => watching.out(),
          (out) => out.includes('draft'),
        );
        await become(id, 'sending');
        await until(
          async () => watching.out(),
          (out) => out.includes('sending'),
        );
        await become(id, status);
        const ended = await watching.ended;
        expect(ended, ended.error).to.include({ code, error: '' });
        expect(ended.out.split('\n')[0]).to.equal('draft 0.0 % 0 of 0');
        expect(ended.out).to.match(
          new RegExp(`^${status}: sent 0, suppressed 0, failed 0, unknown 0, pending 0$`, 'm'),
        );
        expect(ended.out).to.not.contain('\r');
      }
    });

    it('campaigns watch --json prints each state as a line', async () => {
      const id = await newCampaign();
      await become(id, 'sent');
      const ended = await run(['campaigns', 'watch', id, '--json']);
      expect(json(ended).map(({ status }) => status)).to.deep.equal(['sent']);
    });

    it('campaigns watch is a bar on a terminal that is written over, and Ctrl-C ends it on a line of its own', async function () {
      if (process.platform !== 'linux') this.skip();
      const id = await newCampaign();
      const watching = start(['campaigns', 'watch', id], { isTerminal: true });
      await until(
        async () => watching.out(),
        (out) => out.includes('draft'),
      );
      await become(id, 'sending');
      await until(
        async () => watching.out(),
        (out) => out.includes('sending'),
      );
      await become(id, 'sent');
      const { code, out } = await watching.ended;
      expect(code).to.equal(0);
      const states = out.split('\r\u001b[K');
      expect(states[1]).to.match(/^draft ░+ +0\.0 % {2}0 of 0$/);
      expect(states.slice(1).map((state) => state.split(' ')[0])).to.deep.equal(['draft', 'sending', 'sent']);
      for (const state of states) expect(state.split('\r\n')[0]?.length).to.be.below(80);
      expect(out).to.match(/\r\nsent: sent 0/);
      const ended = start(['campaigns', 'watch', await newCampaign()], { isTerminal: true });
      await until(
        async () => ended.out(),
        (text) => text.includes('draft'),
      );
      ended.child.stdin?.write('\u0003');
      const interrupted = await ended.ended;
      expect(interrupted.code).to.equal(130);
      expect(interrupted.out.endsWith('\r\n')).to.equal(true);
    });

    it('Ctrl-C ends a watch with 130 and without a trace', async () => {
      const watching = start(['campaigns', 'watch', await newCampaign()]);
      await until(
        async () => watching.out(),
        (out) => out.includes('draft'),
      );
      watching.child.kill('SIGINT');
      expect(await watching.ended).to.deep.equal({ code: 130, out: 'draft 0.0 % 0 of 0\n', error: '' });
    });

    it('events tail prints events as they happen, one a line, until it has seen enough', async () => {
      const tail = start(['events', 'tail', '--types', 'contact.created,contact.deleted', '--count', '2']);
      const machine = start(['events', 'tail', '--json', '--count', '1']);
      await until(
        async () => [tail.error(), machine.error()],
        (said) => said.every((one) => one.includes('Connected.')),
      );
      for (const email of ['tail1@example.com', 'tail2@example.com'])
        await environment.own.client.post('/contacts', { email });
      const { code, out } = await tail.ended;
      expect(code).to.equal(0);
      expect(out.trimEnd().split('\n')[1]).to.match(/^\S+Z {2}[0-9a-f]{24} {2}contact\.created +tail2@example\.com/);
      expect(json(await machine.ended)[0]).to.include({ type: 'contact.created' });
    });

    it('contacts import shows its progress and the result; rows that failed are named', async () => {
      const rows = ['email', 'import1@example.com', 'nonsense', 'import2@example.com'].join('\n');
      const importing = start(['contacts', 'import', file('people.csv', rows)]);
      const { db } = environment.deps;
      const of = { projectId: environment.own.project._id, fileName: 'people.csv' };
      const { _id: importId } = (await until(() => db.imports.findOne(of), Boolean))!;
      await importSlice(environment.deps, { projectId: of.projectId, importId }, { timeMs: 20_000 });
      const { code, out, error } = await importing.ended;
      expect(code, error).to.equal(0);
      expect(out).to.match(/^uploading 100\.0 %$/m);
      expect(out).to.contain('completed_with_errors: created 2, updated 0, unchanged 0, failed 1');
      expect(error).to.contain(`everpost imports errors ${importId}`);
      const errors = await run(['imports', 'errors', importId.toHexString()]);
      expect(errors.out).to.contain('nonsense');
      const piped = await run(['contacts', 'import', '-', '--no-wait', '--format', 'csv', '--json'], { input: rows });
      expect(json(piped)[0]).to.include({ status: 'queued' });
    });

    it('migrations replay continues a migration and watches it until a person has to act', async () => {
      const { client, project } = environment.own;
      const begun = await client.post('/migrations/providerA/migrate', { apiKey: 'SG.nothing', migrateAll: true });
      const id = begun.body.data.bulkOperationId;
      const change = (status: 'failed' | 'needs_attention') =>
        environment.deps.db.migrations.updateOne(
          { _id: new ObjectId(id), projectId: project._id },
          { $set: { status, attention: 'A scope is missing.' }, $inc: { version: 1 } },
        );
      await change('failed');
      const replaying = start(['migrations', 'replay', id, '--api-key', 'SG.other']);
      await until(
        async () => replaying.out(),
        (out) => out.includes('queued'),
      );
      await change('needs_attention');
      const { code, out, error } = await replaying.ended;
      expect(code, error).to.equal(1);
      expect(out).to.contain('needs_attention: A scope is missing.').and.to.contain('customFields: pending');
      const over = await run(['migrations', 'replay', 'f'.repeat(24)]);
      expect(over).to.include({ code: 1 });
    });
  });
});
