-- What a person does with a .uir file in Neovim, seen through Neovim's own functions and windows.
--   UIR_FILE=FILE nvim --headless -n -u INIT -c "lua dofile('check.lua')"
-- FILE has one error, at the 5 of its last line but one (see test_editors.py). A line "ok NAME" or "FAIL NAME" each.

local failed = false

local function check(name, condition, seen)
  io.stdout:write((condition and 'ok ' or 'FAIL ') .. name .. (condition and '' or ': ' .. vim.inspect(seen)) .. '\n')
  failed = failed or not condition
end

local function wait(condition)
  return (vim.wait(tonumber(vim.env.UIR_PATIENCE) * 1000, condition, 20))
end

local messages = {}
vim.lsp.handlers['window/showMessage'] = function(_, params) table.insert(messages, params.message) end

local function said(text)
  return function() return table.concat(messages, '\n'):find(text, 1, true) ~= nil end
end

local function floating_text()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
    end
  end
  return ''
end

local function session()
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.UIR_FILE))
  local buffer = vim.api.nvim_get_current_buf()
  local clients = vim.lsp.get_clients or vim.lsp.get_active_clients
  check('attach', vim.bo.filetype == 'uir' and wait(function() return #clients() == 1 end), vim.bo.filetype)

  wait(function() return #vim.diagnostic.get(buffer) > 0 end)
  local found = vim.diagnostic.get(buffer)
  local last = vim.api.nvim_buf_line_count(buffer) - 2
  local first = found[1] or {}
  check('diagnostics', #found == 1 and first.lnum == last and first.message:find('(3, 5)', 1, true), found)

  vim.api.nvim_win_set_cursor(0, { 2, 1 })
  vim.lsp.buf.hover()
  wait(function() return floating_text() ~= '' end)
  check('hover', floating_text():find('f32[12]', 1, true), floating_text())

  local line = vim.api.nvim_buf_get_lines(buffer, last, last + 1, false)[1]
  local at = line:find('5', 1, true) - 1
  vim.api.nvim_buf_set_text(buffer, last, at, last, at + 1, { '4' })
  check('edit', wait(function() return #vim.diagnostic.get(buffer) == 0 end), vim.diagnostic.get(buffer))

  vim.cmd('UirRun')
  check('run', wait(said('as expected')) and said('6. 22. 38.')(), messages)

  messages = {}
  vim.lsp.codelens.refresh()
  wait(function() return #vim.lsp.codelens.get(buffer) > 0 end)
  local asked = {}
  vim.ui.select = function(items, options, choose)
    for k, item in ipairs(items) do
      asked[k] = options.format_item(item)
      if asked[k]:find('Run', 1, true) then return choose(item, k) end
    end
  end
  vim.api.nvim_win_set_cursor(0, { last + 2, 0 })
  pcall(vim.lsp.codelens.run)
  check('run from the lens', wait(said('as expected')), { asked, messages })
end

local ok, fault = pcall(session)
check('no fault', ok, fault)
vim.cmd(failed and 'cquit 1' or 'qa!')
