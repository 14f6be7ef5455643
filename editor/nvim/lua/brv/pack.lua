-- Packs: what is in them and why, above their text; items are pinned and dropped there.
local c = require('brv.client')
local M = {}

local most = 50 -- of open buffers and of problems: more says nothing more

-- What is open, what is on the screen, and what is wrong: it counts beside the task.
-- Problems are told by their lines, since columns depend on who found them.
local function signals(params)
  local open = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buflisted and vim.bo[buf].buftype == '' and vim.api.nvim_buf_get_name(buf) ~= '' and #open < most then
      table.insert(open, vim.uri_from_bufnr(buf))
    end
  end
  local problems = {}
  for _, found in ipairs(vim.diagnostic.get(0, { severity = { min = vim.diagnostic.severity.WARN } })) do
    if #problems < most then
      local at = { line = found.lnum, character = 0 }
      table.insert(problems, { uri = params.uri, range = { start = at, ['end'] = at }, message = found.message, severity = found.severity })
    end
  end
  params.openFiles = #open > 0 and open or nil
  params.diagnostics = #problems > 0 and problems or nil
  params.visible = {
    start = { line = vim.fn.line('w0') - 1, character = 0 },
    ['end'] = { line = vim.fn.line('w$'), character = 0 },
  }
end

-- The list of a pack's items above its text, and which item stands in which line.
local function page(params, pack)
  local lines, items = { '# ' .. params.task, '' }, {}
  local function add(line, item)
    table.insert(lines, (line:gsub('[\r\n]+', ' ')))
    items[#lines] = item
  end
  add(string.format('%d of %d tokens. p pins, x drops, a adds, b changes the budget, <CR> opens, Y yanks the pack', pack.tokens, pack.budget))
  for _, missing in ipairs(pack.degraded or {}) do
    add('> ' .. missing)
  end
  local function group(heading, list)
    if #list > 0 then
      vim.list_extend(lines, { '', '## ' .. heading, '' })
    end
    for _, item in ipairs(list) do
      local why = vim.list_extend({ item.reason }, item.marks or {})
      add(string.format('- %s%s (%s, %d tokens): %s', item.pinned and '[pinned] ' or '', item.path, item.form, item.tokens, table.concat(why, '; ')), item)
    end
  end
  group('Items and reasons', pack.items)
  group('Left out: no room', pack.missed)
  if #params.without > 0 then
    vim.list_extend(lines, { '', '## Dropped', '' })
  end
  for _, path in ipairs(params.without) do
    add('- ' .. path, { path = path })
  end
  vim.list_extend(lines, { '', '---', '', pack.text })
  return table.concat(lines, '\n'), items
end

-- A list without a path, and without the symbols of that file.
local function without(list, path)
  return vim.tbl_filter(function(name)
    return name ~= path and not vim.startswith(name, path .. '#')
  end, list)
end

--- Collects knowledge and code for a task, within a budget of tokens, and opens them.
---@param task string
---@param budget number|nil tokens; none: that of the settings
---@param use function|nil gets the text instead, for a chat or a register
function M.pack(task, budget, use)
  c.with(function(client, attached)
    local params = { task = task, budgetTokens = budget, pinned = {}, without = {}, uri = vim.uri_from_fname(client.config.root_dir) }
    if attached then
      local here = vim.lsp.util.make_position_params(0, client.offset_encoding)
      params.uri, params.position = here.textDocument.uri, here.position
      signals(params)
    end
    local buf, pack, items
    local function make(then_do)
      c.request(client, 'brv/context', params, function(made)
        pack = made
        then_do()
        c.say(string.format('packed %d of %d tokens', pack.tokens, pack.budget))
      end)
    end
    local function show()
      local text
      text, items = page(params, pack)
      buf = buf or c.show(task, text)
      if vim.api.nvim_buf_is_valid(buf) then
        c.fill(buf, text)
        vim.b[buf].brv_uri = pack.uri
      end
    end
    -- Changes what is pinned and what is left out by the item in the cursor's line, and packs anew.
    local function with_item(change)
      return function()
        local item = items[vim.fn.line('.')]
        if item then
          change(item)
          make(show)
        end
      end
    end
    local function ask(prompt, options, change)
      return function()
        vim.ui.input(vim.tbl_extend('force', { prompt = prompt .. ': ' }, options()), function(text)
          if text and text ~= '' then
            change(text)
            make(show)
          end
        end)
      end
    end
    local function pin(path)
      params.without = without(params.without, path)
      table.insert(params.pinned, path)
    end
    make(function()
      if use then
        return use(pack.text)
      end
      show()
      c.keys(buf, {
        p = { 'Pin or unpin this', with_item(function(item)
          params.pinned = without(params.pinned, item.path)
          if not item.pinned then
            pin(item.path)
          end
        end) },
        x = { 'Drop this, or add it again', with_item(function(item)
          params.pinned = without(params.pinned, item.path)
          params.without = item.reason and vim.list_extend({ item.path }, params.without) or without(params.without, item.path)
        end) },
        a = { 'Add an entry, a file, or a symbol as path#Name', ask('Add', function()
          return { completion = 'file' }
        end, pin) },
        b = { 'Change the budget', ask('Tokens', function()
          return { default = tostring(pack.budget) }
        end, function(text)
          params.budgetTokens = tonumber(text) or params.budgetTokens
        end) },
        ['<CR>'] = { 'Open this', function()
          local item = items[vim.fn.line('.')]
          if item and item.uri then
            c.open(client, vim.uri_to_fname(item.uri):sub(#client.config.root_dir + 2), math.max(item.lines[1], 1))
          end
        end },
        Y = { 'Yank the pack', function()
          M.yank(pack.text)
        end },
      })
    end)
  end)
end

--- Puts a text into the unnamed register.
---@param text string
function M.yank(text)
  vim.fn.setreg('"', text, 'l')
end

return M
