import { createHmac } from 'node:crypto';
import { callerScopeSchema } from '@candor/contracts';
import { CallerTokenSigner } from './caller-token-signer.js';

const KEY = 'k'.repeat(32);
const scope = callerScopeSchema.parse({
  tenantId: '11111111-1111-4111-8111-111111111111',
  apiKeyId: '22222222-2222-4222-8222-222222222222',
  actorType: 'agent',
  allowedActions: ['search'],
  allowedProviders: ['slack'],
  principals: ['user:a@x.org'],
});

function signed(payload: unknown): string {
  const encoded = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${encoded}.${createHmac('sha256', KEY).update(encoded).digest('base64url')}`;
}

describe('CallerTokenSigner', () => {
  const signer = new CallerTokenSigner(KEY);

  it('gives back the scope it signed', () => {
    expect(signer.verify(signer.sign(scope))).toEqual(scope);
  });

  it('refuses a widened payload under the old signature', () => {
    const [payload = '', signature = ''] = signer.sign(scope).split('.');
    const content = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { scope: object };
    const widened = Buffer.from(JSON.stringify({ ...content, scope: { ...content.scope, principals: null } })).toString(
      'base64url',
    );
    expect(() => signer.verify(`${widened}.${signature}`)).toThrow(
      expect.objectContaining({ code: 'AUTH.INVALID_SCOPE' }),
    );
  });

  it('refuses a token of another key and one past its time', () => {
    const other = new CallerTokenSigner('o'.repeat(32));
    expect(() => signer.verify(other.sign(scope))).toThrow(expect.objectContaining({ code: 'AUTH.INVALID_SCOPE' }));
    expect(() => signer.verify(signer.sign(scope, -1))).toThrow(
      expect.objectContaining({ code: 'AUTH.INVALID_SCOPE' }),
    );
  });

  it.each(['', '.', 'a', 'a.', '.a', 'a.b', 'a.b.c', `${'x'.repeat(100)}.${'y'.repeat(43)}`])('refuses %p', (token) => {
    expect(() => signer.verify(token)).toThrow(expect.objectContaining({ code: 'AUTH.INVALID_SCOPE' }));
  });

  it('refuses a well-signed payload that is no scope', () => {
    expect(() => signer.verify(signed({ scope: { ...scope, tenantId: 'x' }, expiresAt: Date.now() + 1000 }))).toThrow(
      expect.objectContaining({ code: 'AUTH.INVALID_SCOPE' }),
    );
    expect(() => signer.verify(signed({ scope }))).toThrow(expect.objectContaining({ code: 'AUTH.INVALID_SCOPE' }));
  });

  it('changes its key without refusing what is under way', () => {
    const [before, after] = [KEY, 'n'.repeat(32)];
    const old = new CallerTokenSigner(before);
    const accepting = new CallerTokenSigner(before, [after]);
    const changed = new CallerTokenSigner(after, [before]);
    const done = new CallerTokenSigner(after);
    for (const [sender, receiver] of [
      [old, accepting],
      [accepting, old],
      [changed, accepting],
      [accepting, changed],
      [old, changed],
      [changed, done],
    ] as const)
      expect(receiver.verify(sender.sign(scope))).toEqual(scope);
    expect(() => done.verify(old.sign(scope))).toThrow(expect.objectContaining({ code: 'AUTH.INVALID_SCOPE' }));
    expect(() => new CallerTokenSigner(after, ['short'])).toThrow(expect.objectContaining({ code: 'CONFIG.INVALID' }));
  });

  it('refuses a short key at start', () => {
    expect(() => new CallerTokenSigner('short')).toThrow(expect.objectContaining({ code: 'CONFIG.INVALID' }));
  });
});
