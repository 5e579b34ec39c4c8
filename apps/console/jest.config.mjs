import { esm } from '../../jest.preset.mjs';

export default { ...esm, displayName: 'console' };
