/** GET todos/history: what its parameters may be. */
import { born, HistoryApp, turn, wrote } from './history-app.js';

let history: HistoryApp;
beforeAll(async () => {
  history = await HistoryApp.open();
  await history.given([born, turn('t1'), wrote('t1', 'P:a')]);
});
afterAll(() => history.close());

describe('the parameters', () => {
  it.each([
    ['limit', ''],
    ['limit', '0'],
    ['limit', '501'],
    ['limit', '1000'],
    ['limit', '-1'],
    ['limit', '1.5'],
    ['limit', '1e2'],
    ['limit', '0x10'],
    ['limit', 'all'],
    ['limit', '%201'],
    ['limit', '٣'],
    ['limit', '1&limit=2'],
    ['before', ''],
    ['before', '-1'],
    ['before', '1.0'],
    ['before', '12.1'],
    ['before', '01'],
    ['before', 'null'],
    ['before', '"12"'],
    ['before', '9223372036854775808'],
    ['before', '99999999999999999999'],
    ['before', '5&before=4'],
  ])('%s=%s is 400', async (name, value) => {
    const answer = await history.get(`?${name}=${value}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'invalid_request', errors: [{ path: name }] });
  });

  it('name every fault, and are judged before the session', async () => {
    const answer = await history.get('?limit=x&before=y', 'nobody');
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ path: 'limit' }, { path: 'before' }] });
  });

  it.each(['-s1', 'a%2Fb', `a${'b'.repeat(128)}`])('session id %s is 400', async (id) => {
    expect((await history.get('', id)).json()).toMatchObject({ code: 'invalid_request' });
  });

  it('a session id of 128 characters is served', async () => {
    const id = `a${'b'.repeat(127)}`;
    await history.given([born, turn('t1'), wrote('t1', 'P:a')], id);
    expect((await history.page('', id)).items).toHaveLength(1);
  });

  it('others are left alone', async () => {
    expect((await history.page('?utm=x')).items).toHaveLength(1);
  });
});
