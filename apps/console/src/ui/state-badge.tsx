import { stateWords } from '../words/state-tone.js';
import { Badge } from './badge.js';

export function StateBadge({ state }: { state: Parameters<typeof stateWords>[0] }) {
  const { words, tone } = stateWords(state);
  return <Badge tone={tone}>{words}</Badge>;
}
