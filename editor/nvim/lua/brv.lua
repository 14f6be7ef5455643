-- The context tree in Neovim: how to start brv-lsp, and what a language client does not
-- do by itself. Works from Neovim 0.7.2 on; see :help brv.
local c = require('brv.client')
local ask = require('brv.ask')
local entry = require('brv.entry')
local pack = require('brv.pack')
local M = {
  ask = ask.ask,
  cancel = ask.cancel,
  call = c.call,
  curate = entry.curate,
  graph = entry.graph,
  links = entry.links,
  mend = entry.mend,
  move = entry.move,
  pack = pack.pack,
  undo = entry.undo,
  will_rename = entry.will_rename,
  yank = pack.yank,
}

-- Writes what the user agreed to write. Left to itself, Neovim keeps the text of a created
-- file in a hidden buffer, and before 0.10 it cannot create one in a new folder.
local function apply_edit(err, result, ctx)
  local created = {}
  for _, change in ipairs(result.edit.documentChanges or {}) do
    if change.kind == 'create' then
      table.insert(created, change.uri)
      vim.fn.mkdir(vim.fn.fnamemodify(vim.uri_to_fname(change.uri), ':h'), 'p')
    end
  end
  local response = vim.lsp.handlers['workspace/applyEdit'](err, result, ctx)
  for _, uri in ipairs(created) do
    vim.api.nvim_buf_call(vim.uri_to_bufnr(uri), function()
      vim.cmd('silent write')
    end)
  end
  return response
end

-- Shows the places that mention what a lens is about: in the quickfix list.
local function show_references(command, ctx)
  local client = vim.lsp.get_client_by_id(ctx.client_id)
  local place = vim.tbl_extend('force', command.arguments[1], { show = false })
  c.request(client, 'workspace/executeCommand', { command = command.command, arguments = { place } }, function(found)
    if #found.locations == 0 then
      c.say('nothing mentions ' .. vim.uri_to_fname(place.uri))
      return
    end
    local items = vim.lsp.util.locations_to_items(found.locations, client.offset_encoding)
    vim.fn.setqflist({}, ' ', { title = command.title, items = items })
    vim.cmd('botright copen')
  end)
end

local marks = vim.api.nvim_create_namespace('brv')
local marked = {} -- by buffer: the round of questions whose answers count

--- Shows at the ends of lines which entries are stale, as the server's lenses say it. Called when a buffer is entered or
--- written and when the server knows more; vim.g.brv_virtual_text = false turns it off.
---@param buf number
function M.mark(buf)
  local round = (marked[buf] or 0) + 1
  marked[buf] = round
  local wanted = vim.g.brv_virtual_text ~= false
  local function show(lens)
    local title = lens.command.title
    if lens.command.command == 'brv.reviewEntry' or title:match('stale$') then
      local text = { { '■ ' .. title, 'DiagnosticVirtualTextWarn' } }
      pcall(vim.api.nvim_buf_set_extmark, buf, marks, lens.range.start.line, 0, { virt_text = text, hl_mode = 'combine' })
    end
  end
  local function ask(client, method, params, done)
    c.send(client, method, params, function(err, result)
      if not err and marked[buf] == round and vim.api.nvim_buf_is_loaded(buf) then
        done(result or {})
      end
    end)
  end
  for _, client in ipairs(c.all()) do
    if not wanted then
      vim.api.nvim_buf_clear_namespace(buf, marks, 0, -1)
    elseif client.initialized and vim.lsp.buf_is_attached(buf, client.id) then
      ask(client, 'textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(buf) } }, function(lenses)
        vim.api.nvim_buf_clear_namespace(buf, marks, 0, -1)
        vim.tbl_map(show, lenses)
      end)
    end
  end
end

-- The server knows more of stale entries than it said.
local function lenses_changed(err, result, ctx, config)
  for buf in pairs(marked) do
    if vim.api.nvim_buf_is_loaded(buf) then
      M.mark(buf)
    end
  end
  local own = vim.lsp.handlers['workspace/codeLens/refresh'] -- from Neovim 0.12 on
  return own and own(err, result, ctx, config) or vim.NIL
end

-- What the server tells before an answer is one of our own kind.
local function progress(err, result, ctx, config)
  if not ask.part(result.token, result.value) then
    return vim.lsp.handlers['$/progress'](err, result, ctx, config)
  end
end

-- What vim.lsp.enable() and M.start() begin with.
M.config = {
  name = c.name,
  cmd = { 'brv-lsp' },
  -- Entries of the tree, and the languages that the server parses.
  filetypes = {
    'markdown', 'go', 'typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'python', 'rust', 'java',
    'c', 'cpp', 'cs', 'php', 'kotlin', 'scala', 'swift', 'sh', 'bash', 'lua', 'sql', 'proto', 'terraform', 'hcl',
  },
  -- The nearest context tree counts, else the repository. Without either nothing starts.
  root_markers = { '.brv', '.git' },
  workspace_required = true,
  handlers = { ['workspace/applyEdit'] = apply_edit, ['workspace/codeLens/refresh'] = lenses_changed, ['$/progress'] = progress },
  commands = {
    ['brv.showReferences'] = show_references,
    ['brv.reviewEntry'] = entry.from_server('changes'),
    ['brv.openEntry'] = entry.from_server('open'),
    -- The lens over an entry about which something waits.
    ['brv.showReview'] = function(command)
      M.review(command.arguments[1].id)
    end,
  },
  -- What Neovim does with this plugin: M.read opens the server's documents, M.mark takes lenses anew, and
  -- file explorers ask what follows a move where the server says that it wants to be asked.
  before_init = function(params)
    local workspace = params.capabilities.workspace
    workspace.textDocumentContent = vim.empty_dict()
    workspace.codeLens = { refreshSupport = true }
    workspace.fileOperations = { willRename = true, didRename = true, didCreate = true, willDelete = true, didDelete = true }
  end,
}

local function root_of(path, markers)
  for _, marker in ipairs(markers) do
    local dir, above = vim.fn.fnamemodify(path, ':p:h'), nil
    while dir ~= above do
      if vim.loop.fs_stat(dir .. '/' .. marker) then
        return dir
      end
      dir, above = vim.fn.fnamemodify(dir, ':h'), dir
    end
  end
end

local running = {} -- client id by root, for Neovim without vim.lsp.start

local function attach(config, buf)
  if vim.bo[buf].buftype ~= '' or not vim.tbl_contains(config.filetypes, vim.bo[buf].filetype) then
    return
  end
  local root = root_of(vim.api.nvim_buf_get_name(buf), config.root_markers)
  if not root then
    return
  end
  local client = vim.tbl_extend('force', config, { root_dir = root })
  if vim.lsp.start then
    vim.lsp.start(client, { bufnr = buf })
    return
  end
  client.on_exit = function()
    running[root] = nil
  end
  -- Newer ones answer when they are asked for settings.
  client.on_init = client.on_init
    or function(started)
      started.notify('workspace/didChangeConfiguration', { settings = client.settings })
    end
  running[root] = running[root] or vim.lsp.start_client(client)
  if running[root] then
    vim.lsp.buf_attach_client(buf, running[root])
  end
end

--- Starts the server for the buffers it serves, now and later. For Neovim before 0.11;
--- newer ones have vim.lsp.enable('brv').
---@param opts table|nil changes to M.config, such as { cmd = { '/opt/brv-lsp' } }
function M.start(opts)
  local config = vim.tbl_extend('force', M.config, opts or {})
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('brv', { clear = true }),
    pattern = config.filetypes,
    callback = function(event)
      attach(config, event.buf)
    end,
  })
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) then
      attach(config, buf)
    end
  end
end

--- Reads a document of the server's, such as brv://pack/…, brv://answer/…, brv://diff/… or brv://review/…, into a buffer.
---@param buf number
---@param uri string
function M.read(buf, uri)
  c.with(function(client)
    local document = c.call(client, 'workspace/textDocumentContent', { uri = uri })
    local review = uri:match('^brv://review/(%d+)')
    if document and review then
      local how = 'a approves the change at the cursor, r rejects it. `:Brv review approve %d` and `:Brv review reject %d` decide on all.'
      document.text = c.own(document.text:gsub('\nTo decide, [^\n]*', '\n' .. how:gsub('%%d', review), 1))
    end
    if document then
      c.fill(buf, document.text)
      c.keys(buf, c.close)
    end
    if review then
      local function decide(action)
        return function()
          local path = vim.fn.getline(vim.fn.search('^## ', 'bcnW')):match('^## %S+ `(.+)`$')
          if path then
            M.review(action, nil, path)
          else
            c.say('put the cursor on a change, or below its title')
          end
        end
      end
      c.keys(buf, { a = { 'Approve this change', decide('approve') }, r = { 'Reject this change', decide('reject') } })
    end
  end)
end

-- A review that is shown has only what still waits; without that it goes.
local function show_rest(client, batch)
  local name = 'brv://review/' .. batch .. '.md'
  local buf = vim.fn.bufnr('^' .. name .. '$')
  if buf < 0 then
    return
  end
  c.request(client, 'brv/review/list', { uri = vim.uri_from_fname(client.config.root_dir) }, function(answer)
    for _, review in ipairs(answer.reviews) do
      if review.batch == batch then
        return M.read(buf, name)
      end
    end
    vim.cmd('silent! bwipeout ' .. buf)
  end)
end

--- Drafts entries and has them wait for a review, which it opens.
---@param files string[]|nil paths; none: the file in this buffer
---@param lines number[]|nil first and last line of this buffer, instead of the whole file
function M.propose(files, lines)
  c.with(function(client, attached)
    local root = client.config.root_dir
    local params = { uri = vim.uri_from_fname(root) }
    if files and #files > 0 then
      params.files = vim.tbl_map(function(file)
        local path = vim.fn.fnamemodify(file, ':p')
        return path:sub(1, #root + 1) == root .. '/' and path:sub(#root + 2) or path
      end, files)
    elseif attached then
      params.uri = vim.uri_from_bufnr(0)
      if lines then
        params.range = { start = { line = lines[1] - 1, character = 0 }, ['end'] = { line = lines[2], character = 0 } }
      end
    else
      c.warn('name files, or open one in a folder with .brv or .git')
      return
    end
    c.request(client, 'brv/curate/propose', params, function(proposal)
      local notes = proposal.notes or {}
      if proposal.report.batch then
        M.review(proposal.report.batch)
      else
        table.insert(notes, 'nothing to propose')
      end
      if #notes > 0 then
        c.say(table.concat(notes, '\n'))
      end
    end)
  end)
end

--- Opens a batch that waits for a review, one that the user chooses; or decides on one.
---@param action string|number|nil 'approve', 'reject', or a batch
---@param batch string|number|nil none: the batch in this buffer
---@param ... string which of its changes, by number, folder or pattern; behind 'but', all except these
function M.review(action, batch, ...)
  local named, without = { ... }, {}
  for i, word in ipairs(named) do
    if word == 'but' then
      named, without = vim.list_slice(named, 1, i - 1), vim.list_slice(named, i + 1)
      break
    end
  end
  c.with(function(client)
    local params = { uri = vim.uri_from_fname(client.config.root_dir) }
    local function open(number)
      vim.cmd('botright split brv://review/' .. number .. '.md')
    end
    if action == 'approve' or action == 'reject' then
      params.batch = tonumber(batch or vim.api.nvim_buf_get_name(0):match('^brv://review/(%d+)%.md'))
      if not params.batch then
        c.warn(':Brv review ' .. action .. ' wants the number of a batch, or its buffer')
        return
      end
      params.which, params.but = #named > 0 and named or nil, #without > 0 and without or nil
      c.request(client, 'brv/review/' .. action, params, function(report)
        c.say(table.concat(vim.tbl_map(function(result)
          return result.message
        end, report.applied), '; '))
        vim.cmd('checktime')
        show_rest(client, params.batch)
      end)
    elseif tonumber(action) then
      open(tonumber(action))
    else
      c.request(client, 'brv/review/list', params, function(answer)
        if #answer.reviews == 0 then
          c.say('nothing waits for a review')
          return
        end
        vim.ui.select(answer.reviews, {
          prompt = 'What waits for a review:',
          format_item = function(review)
            local changes = #review.items == 1 and '1 change' or #review.items .. ' changes'
            return string.format('%d: %s by %s, %s', review.batch, changes, review.author or 'unknown', review.items[1].path)
          end,
        }, function(review)
          if review then
            open(review.batch)
          end
        end)
      end)
    end
  end)
end

-- What a dream did, in one line.
local function dreamt(result)
  if result.skipped then
    return 'Dream skipped: ' .. result.skipped.reason
  end
  local sum = result.summary
  local counts = '%d merged or linked, %d new, %d to archive'
  local line = string.format('Dream %s: ' .. counts, result.status, sum.consolidated, sum.synthesized, sum.pruned)
  if result.status ~= 'undone' and sum.flaggedForReview > 0 then
    line = line .. string.format('; %d waiting for :BrvReview', sum.flaggedForReview)
  end
  for _, operation in ipairs(result.operations or {}) do
    for _, stay in ipairs(operation.stays or {}) do
      line = line .. string.format('; change %d stays: %s', stay.change, stay.why)
    end
  end
  return line
end

--- Maintains the context tree: merges, links, archives. What takes something away waits for a review.
---@param action string|nil 'undo' takes the last dream back
---@param force boolean|nil also soon after the last dream, or after few changes
function M.dream(action, force)
  local command = ({ [''] = 'brv.dream', undo = 'brv.dreamUndo' })[action or '']
  if not command then
    return c.warn(':BrvDream knows undo, not ' .. action)
  end
  c.with(function(client)
    local params = { uri = vim.uri_from_fname(client.config.root_dir), force = not action and force or nil }
    c.request(client, 'workspace/executeCommand', { command = command, arguments = { params } }, function(result)
      c.say(dreamt(result))
      vim.cmd('checktime')
    end)
  end)
end

--- Trusts the folder of this buffer's server: `brv-lsp trust`. The server goes on, and reads
--- git's history from now on.
function M.trust()
  c.with(function(client)
    local said = vim.fn.system({ client.config.cmd[1], 'trust', client.config.root_dir })
    if vim.v.shell_error ~= 0 then
      vim.notify('brv: ' .. vim.trim(said), vim.log.levels.ERROR)
      return
    end
    c.notify(client, 'brv/didChangeTrust', vim.empty_dict())
    c.say(client.config.root_dir .. ' is trusted')
  end)
end

--- Lists what is wrong with the tree, stale entries too, in the quickfix list.
---@param documents boolean|nil also what the repository's documents name and is gone
function M.problems(documents)
  c.with(function(client)
    local root = client.config.root_dir
    local params = { command = 'brv.check', arguments = { { uri = vim.uri_from_fname(root), documents = documents or nil } } }
    c.request(client, 'workspace/executeCommand', params, function(report)
      local kinds = { error = 'E', warning = 'W', info = 'I', hint = 'N' }
      local items = {}
      for _, f in ipairs(report.findings) do
        local item = { filename = root .. '/' .. f.path, lnum = f.line, col = f.column, text = f.message .. ' (' .. f.code .. ')', type = kinds[f.severity] }
        table.insert(items, item)
      end
      vim.fn.setqflist({}, ' ', { title = 'brv check', items = items })
      if #items > 0 then
        vim.cmd('botright copen')
      else
        c.say('nothing is wrong')
      end
    end)
  end)
end

--- Makes a context tree where there is none, and says which.
function M.init()
  c.with(function(client)
    local params = { command = 'brv.init', arguments = { { uri = vim.uri_from_fname(client.config.root_dir) } } }
    c.request(client, 'workspace/executeCommand', params, function(report)
      if #report.written == 0 then
        c.say(client.config.root_dir .. ' has a context tree already')
      else
        c.say(report.tree .. ' is ready; write down what the next person should know with :Brv curate')
      end
    end)
  end)
end

--- Lists what is known about the file in this buffer and the symbol under the cursor, to be chosen from.
function M.here()
  c.with(function(client, attached)
    if not attached then
      return c.say('the server does not know this buffer as a file')
    end
    local place = vim.lsp.util.make_position_params(0, client.offset_encoding)
    c.request(client, 'brv/here', { uri = place.textDocument.uri, position = place.position }, function(known)
      if #known.items == 0 then
        return c.say('there are no entries about this file')
      end
      vim.ui.select(known.items, {
        prompt = 'Known here:',
        format_item = function(item)
          return item.title .. (item.stale and ' (stale: ' .. item.stale .. ')' or '') .. '  ' .. item.filePath
        end,
      }, function(item)
        if item then
          vim.cmd('edit ' .. (item.line and '+' .. item.line .. ' ' or '') .. vim.fn.fnameescape(client.config.root_dir .. '/' .. item.filePath))
        end
      end)
    end)
  end)
end

--- Lists entries and documents by title or path, to be chosen from: vim.ui.select is what pickers put themselves behind.
---@param words string|nil
function M.find(words)
  c.with(function(client)
    local root = client.config.root_dir
    local params = { filter = words and words ~= '' and words or '.', limit = 1000, uri = vim.uri_from_fname(root) }
    c.request(client, 'brv/knowledge', params, function(listed)
      if #listed.items == 0 then
        return c.say('no entry or document has ' .. params.filter .. ' in its title or path')
      end
      vim.ui.select(listed.items, {
        prompt = 'Knowledge:',
        format_item = function(item)
          return item.title .. (item.stale and ' (stale)' or '') .. '  ' .. item.path
        end,
      }, function(item)
        if item then
          vim.cmd('edit ' .. vim.fn.fnameescape(root .. '/' .. item.filePath))
        end
      end)
    end)
  end)
end

local asking = function(prompt, act)
  return function(words, command)
    if words ~= '' then
      return act(words, command)
    end
    vim.ui.input({ prompt = prompt .. ': ' }, function(text)
      if text and text ~= '' then
        act(text, command)
      end
    end)
  end
end

-- Nothing where no word is given.
local function word(act)
  return function(words, command)
    act(words ~= '' and words or nil, command.bang)
  end
end

local function lines_of(command)
  return command.range > 0 and { command.line1, command.line2 } or nil
end

-- What :Brv knows, by name: what it does, how, and the words that can stand behind it.
local subcommands = {
  ask = { 'Ask the context tree a question', asking('Question', M.ask) },
  cancel = { 'Cancel what the server is asked', M.cancel },
  check = { 'List what is wrong or stale', function(_, command)
    M.problems(command.bang)
  end },
  curate = { 'Write down what the next person should know', function(words, command)
    M.curate(words, lines_of(command))
  end },
  dream = { 'Maintain the tree', word(M.dream), { 'undo' } },
  find = { 'Find entries and documents', M.find },
  graph = { 'Draw the links of this file', function(_, command)
    M.graph(command.bang)
  end },
  here = { 'List what is known here', M.here },
  init = { 'Make a context tree', M.init },
  links = { 'List the links of this file', M.links },
  mend = { 'Fix the stale entry about this place', word(M.mend), entry.ways },
  move = { 'Rename or move this entry', word(M.move) },
  pack = { 'Pack context for a task', asking('Task', function(task, command)
    M.pack(task, nil, command.bang and M.yank or nil)
  end) },
  propose = { 'Draft entries from this file', function(words, command)
    M.propose(words ~= '' and vim.split(words, ' ') or {}, lines_of(command))
  end },
  review = { 'Approve or reject pending changes', function(words)
    M.review(unpack(vim.split(words, ' ', { trimempty = true })))
  end, { 'approve', 'reject' } },
  trust = { 'Let the server read the history of git', M.trust },
  undo = { 'Undo a change of the tree', function(_, command)
    M.undo(command.bang)
  end },
}

--- Runs what :Brv names; without a name it is chosen from a list.
---@param words string[]
---@param command table of the user command
function M.command(words, command)
  local named = subcommands[words[1] or '']
  if named then
    return named[2](table.concat(vim.list_slice(words, 2), ' '), command)
  elseif words[1] then
    return c.warn('there is no :Brv ' .. words[1])
  end
  vim.ui.select(M.complete('', 'Brv '), {
    prompt = 'brv:',
    format_item = function(name)
      return name .. ': ' .. subcommands[name][1]
    end,
  }, function(name)
    if name then
      subcommands[name][2]('', command)
    end
  end)
end

--- Completes the names behind :Brv, and the words behind some.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local of = line:match('Brv!?%s+(%l+)%s')
  local names = of == nil and vim.tbl_keys(subcommands) or subcommands[of] and subcommands[of][3] or {}
  return vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, vim.fn.sort(vim.list_extend({}, names)))
end

return M
