Content-Length: 281

{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": 1, "rootUri": null, "capabilities": {"window": {"workDoneProgress": true}, "general": {"positionEncodings": ["utf-16"]}, "textDocument": {"rename": {"prepareSupport": true}}}, "initializationOptions": {}}}Content-Length: 57

{"jsonrpc": "2.0", "method": "initialized", "params": {}}Content-Length: 246

{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///test.uir", "languageId": "uir", "version": 1, "text": "# softmax \ud83d\ude00\r\n%0 = buffer 12 : dtype=f32 slot=0\r\n%x = reshape %0, (3, 4)\r\n"}}}Content-Length: 245

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 2}, "contentChanges": [{"range": {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 0}}, "text": "%"}]}}Content-Length: 245

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 3}, "contentChanges": [{"range": {"start": {"line": 3, "character": 1}, "end": {"line": 3, "character": 1}}, "text": "m"}]}}Content-Length: 245

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 4}, "contentChanges": [{"range": {"start": {"line": 3, "character": 2}, "end": {"line": 3, "character": 2}}, "text": " "}]}}Content-Length: 162

{"jsonrpc": "2.0", "id": 2, "method": "textDocument/completion", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 3}}}Content-Length: 165

{"jsonrpc": "2.0", "id": 3, "method": "textDocument/signatureHelp", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 3}}}Content-Length: 245

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 5}, "contentChanges": [{"range": {"start": {"line": 3, "character": 3}, "end": {"line": 3, "character": 3}}, "text": "="}]}}Content-Length: 162

{"jsonrpc": "2.0", "id": 4, "method": "textDocument/completion", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 4}}}Content-Length: 165

{"jsonrpc": "2.0", "id": 5, "method": "textDocument/signatureHelp", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 4}}}Content-Length: 245

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 6}, "contentChanges": [{"range": {"start": {"line": 3, "character": 4}, "end": {"line": 3, "character": 4}}, "text": " "}]}}Content-Length: 162

{"jsonrpc": "2.0", "id": 6, "method": "textDocument/completion", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 5}}}Content-Length: 165

{"jsonrpc": "2.0", "id": 7, "method": "textDocument/signatureHelp", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 5}}}Content-Length: 245

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 7}, "contentChanges": [{"range": {"start": {"line": 3, "character": 5}, "end": {"line": 3, "character": 5}}, "text": "r"}]}}Content-Length: 245

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 8}, "contentChanges": [{"range": {"start": {"line": 3, "character": 6}, "end": {"line": 3, "character": 6}}, "text": "e"}]}}Content-Length: 245

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 9}, "contentChanges": [{"range": {"start": {"line": 3, "character": 7}, "end": {"line": 3, "character": 7}}, "text": "d"}]}}Content-Length: 246

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 10}, "contentChanges": [{"range": {"start": {"line": 3, "character": 8}, "end": {"line": 3, "character": 8}}, "text": "u"}]}}Content-Length: 246

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 11}, "contentChanges": [{"range": {"start": {"line": 3, "character": 9}, "end": {"line": 3, "character": 9}}, "text": "c"}]}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 12}, "contentChanges": [{"range": {"start": {"line": 3, "character": 10}, "end": {"line": 3, "character": 10}}, "text": "e"}]}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 13}, "contentChanges": [{"range": {"start": {"line": 3, "character": 11}, "end": {"line": 3, "character": 11}}, "text": " "}]}}Content-Length: 163

{"jsonrpc": "2.0", "id": 8, "method": "textDocument/completion", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 12}}}Content-Length: 166

{"jsonrpc": "2.0", "id": 9, "method": "textDocument/signatureHelp", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 12}}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 14}, "contentChanges": [{"range": {"start": {"line": 3, "character": 12}, "end": {"line": 3, "character": 12}}, "text": "%"}]}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 15}, "contentChanges": [{"range": {"start": {"line": 3, "character": 13}, "end": {"line": 3, "character": 13}}, "text": "x"}]}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 16}, "contentChanges": [{"range": {"start": {"line": 3, "character": 14}, "end": {"line": 3, "character": 14}}, "text": " "}]}}Content-Length: 164

{"jsonrpc": "2.0", "id": 10, "method": "textDocument/completion", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 15}}}Content-Length: 167

{"jsonrpc": "2.0", "id": 11, "method": "textDocument/signatureHelp", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 15}}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 17}, "contentChanges": [{"range": {"start": {"line": 3, "character": 15}, "end": {"line": 3, "character": 15}}, "text": ":"}]}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 18}, "contentChanges": [{"range": {"start": {"line": 3, "character": 16}, "end": {"line": 3, "character": 16}}, "text": " "}]}}Content-Length: 164

{"jsonrpc": "2.0", "id": 12, "method": "textDocument/completion", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 17}}}Content-Length: 167

{"jsonrpc": "2.0", "id": 13, "method": "textDocument/signatureHelp", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 17}}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 19}, "contentChanges": [{"range": {"start": {"line": 3, "character": 17}, "end": {"line": 3, "character": 17}}, "text": "o"}]}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 20}, "contentChanges": [{"range": {"start": {"line": 3, "character": 18}, "end": {"line": 3, "character": 18}}, "text": "p"}]}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 21}, "contentChanges": [{"range": {"start": {"line": 3, "character": 19}, "end": {"line": 3, "character": 19}}, "text": "="}]}}Content-Length: 164

{"jsonrpc": "2.0", "id": 14, "method": "textDocument/completion", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 20}}}Content-Length: 167

{"jsonrpc": "2.0", "id": 15, "method": "textDocument/signatureHelp", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 20}}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 22}, "contentChanges": [{"range": {"start": {"line": 3, "character": 20}, "end": {"line": 3, "character": 20}}, "text": "m"}]}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 23}, "contentChanges": [{"range": {"start": {"line": 3, "character": 21}, "end": {"line": 3, "character": 21}}, "text": "a"}]}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 24}, "contentChanges": [{"range": {"start": {"line": 3, "character": 22}, "end": {"line": 3, "character": 22}}, "text": "x"}]}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 25}, "contentChanges": [{"range": {"start": {"line": 3, "character": 23}, "end": {"line": 3, "character": 23}}, "text": " "}]}}Content-Length: 164

{"jsonrpc": "2.0", "id": 16, "method": "textDocument/completion", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 24}}}Content-Length: 167

{"jsonrpc": "2.0", "id": 17, "method": "textDocument/signatureHelp", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 24}}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 26}, "contentChanges": [{"range": {"start": {"line": 3, "character": 24}, "end": {"line": 3, "character": 24}}, "text": "p"}]}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 27}, "contentChanges": [{"range": {"start": {"line": 3, "character": 25}, "end": {"line": 3, "character": 25}}, "text": "o"}]}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 28}, "contentChanges": [{"range": {"start": {"line": 3, "character": 26}, "end": {"line": 3, "character": 26}}, "text": "p"}]}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 29}, "contentChanges": [{"range": {"start": {"line": 3, "character": 27}, "end": {"line": 3, "character": 27}}, "text": "="}]}}Content-Length: 164

{"jsonrpc": "2.0", "id": 18, "method": "textDocument/completion", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 28}}}Content-Length: 167

{"jsonrpc": "2.0", "id": 19, "method": "textDocument/signatureHelp", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 28}}}Content-Length: 248

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 30}, "contentChanges": [{"range": {"start": {"line": 3, "character": 28}, "end": {"line": 3, "character": 28}}, "text": "1"}]}}Content-Length: 309

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 31}, "contentChanges": [{"range": {"start": {"line": 3, "character": 29}, "end": {"line": 3, "character": 29}}, "text": "\r\n%r = reshape %m, (3, 1)\r\n%s = sub %x, %r\r\n%e = exp2 %s"}]}}Content-Length: 126

{"jsonrpc": "2.0", "id": 20, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": "file:///test.uir"}}}Content-Length: 120

{"jsonrpc": "2.0", "id": 21, "method": "textDocument/codeLens", "params": {"textDocument": {"uri": "file:///test.uir"}}}Content-Length: 124

{"jsonrpc": "2.0", "id": 22, "method": "textDocument/foldingRange", "params": {"textDocument": {"uri": "file:///test.uir"}}}Content-Length: 131

{"jsonrpc": "2.0", "id": 23, "method": "textDocument/semanticTokens/full", "params": {"textDocument": {"uri": "file:///test.uir"}}}Content-Length: 158

{"jsonrpc": "2.0", "id": 24, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 1, "character": 1}}}Content-Length: 158

{"jsonrpc": "2.0", "id": 25, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 2, "character": 1}}}Content-Length: 158

{"jsonrpc": "2.0", "id": 26, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 3, "character": 1}}}Content-Length: 158

{"jsonrpc": "2.0", "id": 27, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 4, "character": 1}}}Content-Length: 158

{"jsonrpc": "2.0", "id": 28, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 5, "character": 1}}}Content-Length: 158

{"jsonrpc": "2.0", "id": 29, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 6, "character": 1}}}Content-Length: 180

{"jsonrpc": "2.0", "id": 30, "method": "textDocument/rename", "params": {"textDocument": {"uri": "file:///test.uir"}, "position": {"line": 2, "character": 1}, "newName": "%input"}}Content-Length: 353

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 32}, "contentChanges": [{"range": {"start": {"line": 2, "character": 5}, "end": {"line": 2, "character": 12}}, "text": "reshpe"}, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "\n"}]}}Content-Length: 458

{"jsonrpc": "2.0", "id": 31, "method": "textDocument/codeAction", "params": {"textDocument": {"uri": "file:///test.uir"}, "range": {"start": {"line": 3, "character": 5}, "end": {"line": 3, "character": 11}}, "context": {"diagnostics": [{"range": {"start": {"line": 3, "character": 5}, "end": {"line": 3, "character": 11}}, "severity": 1, "code": "unknown-operation", "source": "uir", "message": "there is no operation `reshpe` (did you mean `reshape`?)"}]}}}Content-Length: 253

{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///test.uir", "version": 33}, "contentChanges": [{"range": {"start": {"line": 3, "character": 5}, "end": {"line": 3, "character": 11}}, "text": "reshape"}]}}Content-Length: 90

{"jsonrpc": "2.0", "id": 32, "method": "uir/showC", "params": {"uri": "file:///test.uir"}}Content-Length: 80

{"jsonrpc": "2.0", "id": "5a0aa272-a865-4677-98e6-01388f1718d2", "result": null}Content-Length: 107

{"jsonrpc": "2.0", "id": 33, "method": "uir/explain", "params": {"uri": "file:///test.uir", "value": "%e"}}Content-Length: 66

{"jsonrpc": "2.0", "id": 34, "method": "shutdown", "params": null}Content-Length: 52

{"jsonrpc": "2.0", "method": "exit", "params": null}