import { expect } from 'chai';
import { type Environment, startEnvironment } from '../support/environment.ts';

describe('A preview of a form', () => {
  let environment: Environment;
  before(async () => {
    environment = await startEnvironment();
  });
  after(() => environment?.stop());

  const preview = (body: object) => environment.own.client.post('/forms/preview', body);
  async function pageOf(body: object): Promise<{ headers: Headers; text: string }> {
    const { status, body: answer, text } = await preview(body);
    expect(status, text).to.equal(200);
    const response = await fetch(answer.data.previewUrl);
    return { headers: response.headers, text: await response.text() };
  }

  it('shows the page as the public one looks, in the language that is asked for, and stores no form', async () => {
    const { client, adminKey, project } = environment.own;
    const look = { publicName: 'Harbour Books', color: '#ffd400' };
    await environment.client(adminKey).patch(`/account/projects/${project._id}`, look);
    const fields = [{ name: 'genre', label: 'Which <books>', type: 'select', options: ['Novels'], required: true }];
    const { headers, text } = await pageOf({ fields, texts: { title: 'Letters & more' }, lang: 'de' });
    expect(text).to.include('<html lang="de">').and.to.include('Letters &amp; more').and.to.include('Harbour Books');
    expect(text).to.include('Which &lt;books&gt;').and.to.include('>Novels</option>').and.to.include('#ffd400');
    expect(headers.get('content-security-policy')).to.match(/^sandbox;.*frame-ancestors 'self'.*form-action 'none'/);
    expect((await client.get('/forms')).body.data.forms).to.deep.equal([]);
  });

  it('shows what follows the form, and the page of the confirmation with its sentence', async () => {
    const texts = { consent: 'Write to me.', submitted: 'Look into your mailbox.', confirmed: 'You are on board.' };
    const of = async (page: string) => (await pageOf({ texts, page })).text;
    expect(await of('submitted'))
      .to.include('Look into your mailbox.')
      .and.not.to.include('Write to me.');
    expect(await of('confirm'))
      .to.include('Write to me.')
      .and.to.include('<button type="submit">')
      .and.not.to.include('You are on board.');
    expect(await of('confirmed'))
      .to.include('You are on board.')
      .and.not.to.include('<button');
    const received = await pageOf({ page: 'submitted', doubleOptIn: false });
    const asked = await pageOf({ page: 'submitted' });
    expect(received.text).to.not.equal(asked.text);
  });

  it('names the field that no form may have', async () => {
    const { status, body } = await preview({ fields: [{ name: 'email', label: 'Address', type: 'text' }] });
    expect({ status, details: body.error.details }).to.deep.equal({
      status: 400,
      details: 'fields/0/name: is not a field that a form may ask for',
    });
    expect((await preview({ page: 'mail' })).status).to.equal(400);
  });
});
