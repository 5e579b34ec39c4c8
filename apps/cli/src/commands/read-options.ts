import { InvalidArgumentError } from 'commander';

/** A whole number within bounds, for commander. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`A number from ${least} to ${most}.`);
    return value;
  };
}
