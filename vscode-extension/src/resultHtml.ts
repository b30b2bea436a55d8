// A panel's page: style sheets and one script of the extension's own, in the page itself. Each file that it would have to
// ask for goes through a service worker, the window and the extension host, which takes longer than to show a result.

/** `styles` and `script` are texts. */
export function pageHtml(title: string, styles: readonly string[], script: string, nonce: string): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  ${styles.map(style => `<style nonce="${nonce}">${style.replaceAll('</', '<\\/')}</style>`).join('\n  ')}
</head>
<body>
  <script nonce="${nonce}">${script.replaceAll('</script', '<\\/script')}</script>
</body>
</html>`
}
