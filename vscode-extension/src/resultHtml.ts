// The panel's page: one style sheet, one script, nothing from anywhere else.

/** `sources`: what the editor calls its own files in a policy. */
export function resultHtml(style: string, script: string, sources: string, nonce: string): string {
  const policy = `default-src 'none'; style-src ${sources}; script-src 'nonce-${nonce}'`
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Result</title>
  <link rel="stylesheet" href="${style}">
</head>
<body>
  <script nonce="${nonce}" src="${script}"></script>
</body>
</html>`
}
