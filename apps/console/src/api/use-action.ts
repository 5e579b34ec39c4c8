import type { EndpointName } from '@candor/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';

/** Something that a person does: its state, its error, and which lists show the difference afterwards. */
export function useAction<Input, Output>(act: (input: Input) => Promise<Output>, changes: readonly EndpointName[]) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    // After failures, too: that something changed meanwhile may be why it failed.
    onSettled: () => Promise.all(changes.map((name) => queries.invalidateQueries({ queryKey: [name] }))),
  });
}
