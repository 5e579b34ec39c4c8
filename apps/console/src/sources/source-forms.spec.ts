import { createSourceBodySchema, SOURCE_PROVIDERS } from '@candor/contracts';
import { buildSource, SOURCE_FORMS } from './source-forms.js';

const filled = { botToken: 'x', token: 'x', clientId: 'x', clientSecret: 'x', refreshToken: 'x' };

describe('buildSource', () => {
  it.each(SOURCE_PROVIDERS)('asks for what %s needs: the contract takes the result', (provider) => {
    const built = buildSource({ provider, name: ' Team ', everyMinutes: '15', values: filled });
    const body = createSourceBodySchema.parse('body' in built ? built.body : built);
    expect(body).toMatchObject({ provider, name: 'Team', schedule: { everyMinutes: 15 } });
  });

  it.each(SOURCE_PROVIDERS)('has only fields that the contract of %s knows', (provider) => {
    const { credentials, settings } = SOURCE_FORMS[provider];
    const values = Object.fromEntries([...credentials, ...settings].map(({ name }) => [name, 'x, y']));
    const built = buildSource({ provider, name: 'Team', everyMinutes: '', values });
    expect(createSourceBodySchema.safeParse('body' in built ? built.body : built).error).toBeUndefined();
  });

  it('splits lists and leaves empty fields out', () => {
    const values = { botToken: 'xoxb', channelAllowlist: 'general, , design ' };
    expect(buildSource({ provider: 'slack', name: 'a', everyMinutes: '', values })).toEqual({
      body: {
        provider: 'slack',
        name: 'a',
        schedule: null,
        settings: { channelAllowlist: ['general', 'design'] },
        credentials: { botToken: 'xoxb' },
      },
    });
  });

  it('names every field that is missing or wrong', () => {
    const built = buildSource({ provider: 'gmail', name: ' ', everyMinutes: '0.5', values: { clientId: 'x' } });
    expect('problems' in built && Object.keys(built.problems).sort()).toEqual([
      'clientSecret',
      'everyMinutes',
      'name',
      'refreshToken',
    ]);
  });
});
