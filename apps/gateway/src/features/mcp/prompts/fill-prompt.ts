const PLACEHOLDER = /\$\{\s*([^{}$]{1,100}?)\s*\}|\{\{\s*([^{}$]{1,100}?)\s*\}\}/gu;

/** The template with its variables' values; what an inserted value says is not looked at again. */
export function fillPrompt(content: string, values: Readonly<Record<string, string>>): string {
  return content.replace(PLACEHOLDER, (whole, inDollar?: string, inBraces?: string) => {
    const name = inDollar ?? inBraces ?? '';
    return Object.hasOwn(values, name) ? (values[name] ?? whole) : whole;
  });
}
