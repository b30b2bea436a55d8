// A reporter of node's test runner: the files with a failed test, one a line.

export default async function* failedFiles(events) {
  const files = new Set()
  for await (const { type, data } of events) if (type === 'test:fail' && data.file) files.add(data.file)
  yield [...files].map(file => file + '\n').join('')
}
