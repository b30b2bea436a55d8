// A panel's page: style sheets and one script of the extension's own, nothing from anywhere else.

/** `sources`: what the editor calls its own files in a policy. */
export function pageHtml(title: string, styles: readonly string[], script: string, sources: string, nonce: string): string {
  const policy = `default-src 'none'; style-src ${sources}; script-src 'nonce-${nonce}'`
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  ${styles.map(style => `<link rel="stylesheet" href="${style}">`).join('\n  ')}
</head>
<body>
  <script nonce="${nonce}" src="${script}"></script>
</body>
</html>`
}
