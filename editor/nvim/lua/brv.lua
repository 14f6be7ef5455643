-- The context tree in Neovim: how to start brv-lsp, and what a language client does not
-- do by itself, asking and packing. Works from Neovim 0.7.2 on; see :help brv.
local M = {}

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

local answer_within = 5000 -- milliseconds: the editor waits for what it opens or moves

local function send(client, method, params, answered)
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, answered)
  else
    client.request(method, params, answered)
  end
end

-- Asks a client, and tells the user where that fails.
local function request(client, method, params, done)
  send(client, method, params, function(err, result)
    if err then
      vim.notify('brv: ' .. err.message, vim.log.levels.ERROR)
    elseif result then
      done(result)
    end
  end)
end

-- The answer of a client, waited for; nil, with a message, if there is none.
function M.call(client, method, params)
  local response, problem
  if vim.fn.has('nvim-0.11') == 1 then
    response, problem = client:request_sync(method, params, answer_within, 0)
  else
    response, problem = client.request_sync(method, params, answer_within, 0)
  end
  if response and not response.err then
    return response.result
  end
  vim.notify('brv: ' .. (response and response.err.message or problem or 'no answer'), vim.log.levels.ERROR)
end

-- Shows the places that mention what a lens is about: in the quickfix list.
local function show_references(command, ctx)
  local client = vim.lsp.get_client_by_id(ctx.client_id)
  local place = vim.tbl_extend('force', command.arguments[1], { show = false })
  request(client, 'workspace/executeCommand', { command = command.command, arguments = { place } }, function(found)
    if #found.locations == 0 then
      vim.notify('brv: nothing mentions ' .. vim.uri_to_fname(place.uri))
      return
    end
    local items = vim.lsp.util.locations_to_items(found.locations, client.offset_encoding)
    vim.fn.setqflist({}, ' ', { title = command.title, items = items })
    vim.cmd('botright copen')
  end)
end

local function clients()
  return vim.tbl_filter(function(client)
    return client.name == M.config.name
  end, (vim.lsp.get_clients or vim.lsp.get_active_clients)())
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
    local title = lens.command and lens.command.title or ''
    if lens.data.kind == 'drift' or title:match('stale$') then
      local text = { { '■ ' .. title, 'DiagnosticVirtualTextWarn' } }
      pcall(vim.api.nvim_buf_set_extmark, buf, marks, lens.range.start.line, 0, { virt_text = text, hl_mode = 'combine' })
    end
  end
  local function ask(client, method, params, done)
    send(client, method, params, function(err, result)
      if not err and marked[buf] == round and vim.api.nvim_buf_is_loaded(buf) then
        done(result or {})
      end
    end)
  end
  for _, client in ipairs(clients()) do
    if not wanted then
      vim.api.nvim_buf_clear_namespace(buf, marks, 0, -1)
    elseif client.initialized and vim.lsp.buf_is_attached(buf, client.id) then
      ask(client, 'textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(buf) } }, function(lenses)
        vim.api.nvim_buf_clear_namespace(buf, marks, 0, -1)
        for _, lens in ipairs(lenses) do
          if lens.data.kind == 'drift' or vim.startswith(lens.data.kind, 'named') then
            ask(client, 'codeLens/resolve', lens, show)
          end
        end
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

-- What vim.lsp.enable() and M.start() begin with.
M.config = {
  name = 'brv',
  cmd = { 'brv-lsp' },
  -- Entries of the tree, and the languages that the server parses.
  filetypes = { 'markdown', 'go', 'javascript', 'javascriptreact', 'python', 'rust', 'typescript', 'typescriptreact' },
  -- The nearest context tree counts, else the repository. Without either nothing starts.
  root_markers = { '.brv', '.git' },
  workspace_required = true,
  handlers = { ['workspace/applyEdit'] = apply_edit, ['workspace/codeLens/refresh'] = lenses_changed },
  commands = {
    ['brv.showReferences'] = show_references,
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

local usual_budget = 8000

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

-- The client of this buffer, else any: a question may be asked from anywhere.
local function client_here()
  local found
  for _, client in ipairs(clients()) do
    if vim.lsp.buf_is_attached(0, client.id) then
      return client, true
    end
    found = client
  end
  return found, false
end

-- Fills a buffer that shows nothing on disk, and that is forgotten when it is closed.
local function fill(buf, text)
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].swapfile = false
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text, '\n', { plain = true }))
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = 'markdown'
end

local shown = 0

-- Opens text in a window of its own, which forgets it when it is closed.
local function show(name, text)
  shown = shown + 1
  vim.cmd('botright new')
  local buf = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_name(buf, string.format('brv://%d/%s', shown, name))
  fill(buf, text)
end

-- One of an answer's sources that stands in the cursor's line, as path:line in the list or (path:line in a passage's title, opens in
-- the window that was left. Other paths that the text names are the text's: they are not followed.
local function open_source(root, sources)
  local text = vim.api.nvim_get_current_line()
  local path, line = text:match('^%- (.-):(%d+)%f[%D]')
  if not path then
    path, line = text:match('%(([^()]-):(%d+)%f[%D]')
  end
  local cited = false
  for _, source in ipairs(sources) do
    cited = cited or source.filePath == path
  end
  if cited then
    vim.cmd('wincmd p')
    vim.cmd('edit ' .. vim.fn.fnameescape(root .. '/' .. path))
    pcall(vim.api.nvim_win_set_cursor, 0, { tonumber(line), 0 })
  end
end

local function with_client(act)
  local client, attached = client_here()
  if client then
    act(client, attached)
  else
    vim.notify('brv: no server is running; open a file of a folder that has .brv or .git', vim.log.levels.WARN)
  end
end

--- Asks the context tree a question and opens the answer.
---@param text string
function M.ask(text)
  with_client(function(client, attached)
    local params = { text = text, uri = attached and vim.uri_from_bufnr(0) or nil }
    request(client, 'brv/query', params, function(answer)
      if answer.outOfDomain then
        vim.notify('brv: ' .. vim.trim(answer.markdown), vim.log.levels.WARN)
      else
        local note = answer.note and ('> ' .. answer.note:gsub('[\r\n]+', ' ') .. '\n\n') or ''
        local sources = {}
        for _, source in ipairs(answer.sources) do
          local stale = source.marks and ' — ' .. table.concat(source.marks, '; ') or ''
          table.insert(sources, string.format('- %s:%d %s%s', source.filePath, source.line, source.title, stale))
        end
        show(text, '# ' .. text .. '\n\n' .. note .. answer.markdown .. '\n\n## Sources\n\n' .. table.concat(sources, '\n'))
        local root = client.config.root_dir
        for _, key in ipairs({ 'gf', '<CR>' }) do
          vim.keymap.set('n', key, function()
            open_source(root, answer.sources)
          end, { buffer = true, desc = 'Open the source under the cursor' })
        end
      end
    end)
  end)
end

--- Changes what leads to a file or folder that is about to be moved: relations, links, and the
--- code that entries name. For file explorers that ask no server by themselves.
---@param old string path
---@param new string path
---@return boolean changed
function M.will_rename(old, new)
  local files = { { oldUri = vim.uri_from_fname(vim.fn.fnamemodify(old, ':p')), newUri = vim.uri_from_fname(vim.fn.fnamemodify(new, ':p')) } }
  local changed = false
  for _, client in ipairs(clients()) do
    local edit = M.call(client, 'workspace/willRenameFiles', { files = files })
    if edit and edit ~= vim.NIL then
      vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
      changed = true
    end
  end
  return changed
end

--- Reads a document of the server's, such as brv://pack/…, brv://answer/…, brv://diff/… or brv://review/…, into a buffer.
---@param buf number
---@param uri string
function M.read(buf, uri)
  with_client(function(client)
    local document = M.call(client, 'workspace/textDocumentContent', { uri = uri })
    if document then
      fill(buf, document.text)
    end
  end)
end

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

--- Puts a text into the unnamed register.
---@param text string
function M.yank(text)
  vim.fn.setreg('"', text, 'l')
end

--- Collects knowledge and code for a task, within a budget of tokens, and opens them.
---@param task string
---@param budget number|nil tokens
---@param use function|nil gets the text instead, for a chat or a register
function M.pack(task, budget, use)
  with_client(function(client, attached)
    local params = { task = task, budgetTokens = budget or usual_budget }
    if attached then
      local here = vim.lsp.util.make_position_params(0, client.offset_encoding)
      params.uri, params.position = here.textDocument.uri, here.position
      signals(params)
    end
    request(client, 'brv/context', params, function(pack)
      if use then
        use(pack.text)
      else
        show(task, pack.text)
        vim.b.brv_uri = pack.uri
      end
      vim.notify(string.format('brv: packed %d of %d tokens', pack.tokens, pack.budget))
    end)
  end)
end

local function say(text)
  vim.notify('brv: ' .. text)
end

--- Drafts entries and has them wait for a review, which it opens.
---@param files string[]|nil paths; none: the file in this buffer
---@param lines number[]|nil first and last line of this buffer, instead of the whole file
function M.propose(files, lines)
  with_client(function(client, attached)
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
      vim.notify('brv: name files, or open one that the server knows', vim.log.levels.WARN)
      return
    end
    request(client, 'brv/curate/propose', params, function(proposal)
      for _, note in ipairs(proposal.notes or {}) do
        say(note)
      end
      if proposal.report.batch then
        M.review(proposal.report.batch)
      else
        say('nothing to propose')
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
  with_client(function(client)
    local params = { uri = vim.uri_from_fname(client.config.root_dir) }
    local function open(number)
      vim.cmd('botright split brv://review/' .. number .. '.md')
      say(':Brv review approve, or reject, decides on the batch in this buffer')
    end
    if action == 'approve' or action == 'reject' then
      params.batch = tonumber(batch or vim.api.nvim_buf_get_name(0):match('^brv://review/(%d+)%.md'))
      if not params.batch then
        vim.notify('brv: :Brv review ' .. action .. ' wants the number of a batch, or its buffer', vim.log.levels.WARN)
        return
      end
      params.which, params.but = #named > 0 and named or nil, #without > 0 and without or nil
      request(client, 'brv/review/' .. action, params, function(report)
        for _, result in ipairs(report.applied) do
          say(result.message)
        end
        vim.cmd('checktime')
      end)
    elseif tonumber(action) then
      open(tonumber(action))
    else
      request(client, 'brv/review/list', params, function(answer)
        if #answer.reviews == 0 then
          say('nothing waits for a review')
          return
        end
        vim.ui.select(answer.reviews, {
          prompt = 'What waits for a review',
          format_item = function(review)
            return string.format('%d: %d of %s, %s', review.batch, #review.items, review.author or 'unknown', review.items[1].path)
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
  local line = string.format('Dream %s: %d consolidated, %d synthesized, %d pruned', result.status, sum.consolidated, sum.synthesized, sum.pruned)
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
  if action and action ~= 'undo' then
    vim.notify('brv: :BrvDream knows undo, not ' .. action, vim.log.levels.WARN)
    return
  end
  with_client(function(client)
    local params = { uri = vim.uri_from_fname(client.config.root_dir), force = not action and force or nil }
    request(client, 'workspace/executeCommand', { command = action and 'brv.dreamUndo' or 'brv.dream', arguments = { params } }, function(result)
      say(dreamt(result))
      vim.cmd('checktime')
    end)
  end)
end

--- Trusts the folder of this buffer's server: `brv-lsp trust`. The server goes on, and reads
--- git's history from now on.
function M.trust()
  with_client(function(client)
    local said = vim.fn.system({ client.config.cmd[1], 'trust', client.config.root_dir })
    if vim.v.shell_error ~= 0 then
      vim.notify('brv: ' .. vim.trim(said), vim.log.levels.ERROR)
      return
    end
    local params = vim.empty_dict()
    if vim.fn.has('nvim-0.11') == 1 then
      client:notify('brv/didChangeTrust', params)
    else
      client.notify('brv/didChangeTrust', params)
    end
    vim.notify('brv: ' .. client.config.root_dir .. ' is trusted')
  end)
end

--- Lists what is wrong with the tree, stale entries too, in the quickfix list.
function M.problems()
  with_client(function(client)
    local root = client.config.root_dir
    local params = { command = 'brv.check', arguments = { { uri = vim.uri_from_fname(root) } } }
    request(client, 'workspace/executeCommand', params, function(report)
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
        say('nothing is wrong')
      end
    end)
  end)
end

-- Writes the lines of the command down as an entry: by the code action, which sees no selection from a command line.
local function curate(_, command)
  local title = 'Curate this selection'
  local start, stop = { command.line1, 0 }, { command.line2, math.max(#vim.fn.getline(command.line2) - 1, 0) }
  if vim.lsp.buf.range_code_action and vim.fn.has('nvim-0.8') == 0 then
    vim.lsp.buf.range_code_action(nil, start, stop) -- which lists all actions
    return
  end
  vim.lsp.buf.code_action({ range = { start = start, ['end'] = stop }, apply = true, filter = function(action)
    return action.title == title
  end })
end

-- Says which tree it made.
local function init()
  with_client(function(client)
    local params = { command = 'brv.init', arguments = { { uri = vim.uri_from_fname(client.config.root_dir) } } }
    request(client, 'workspace/executeCommand', params, function(report)
      if #report.written == 0 then
        say(client.config.root_dir .. ' has a context tree already')
      else
        say(report.tree .. ' is made; select lines that say why and write them down with :Brv curate')
      end
    end)
  end)
end

-- What is known about the file in this buffer and the symbol under the cursor, to be chosen from.
local function here()
  with_client(function(client, attached)
    if not attached then
      return say('this buffer is no file that the server knows')
    end
    local place = vim.lsp.util.make_position_params(0, client.offset_encoding)
    request(client, 'brv/here', { uri = place.textDocument.uri, position = place.position }, function(known)
      if #known.items == 0 then
        return say('nothing is written down about this file')
      end
      vim.ui.select(known.items, {
        prompt = 'Known here',
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

-- Knowledge by title: vim.ui.select is what telescope, fzf-lua and snacks put themselves behind.
local function knowledge(words)
  with_client(function(client)
    local root = client.config.root_dir
    local params = { filter = words ~= '' and words or '.', limit = 1000, uri = vim.uri_from_fname(root) }
    request(client, 'brv/knowledge', params, function(listed)
      vim.ui.select(listed.items, {
        prompt = 'Knowledge',
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

-- What :Brv knows, by name.
local subcommands = {
  ask = asking('Question', M.ask),
  pack = asking('Task', function(task, command)
    M.pack(task, nil, command.bang and M.yank or nil)
  end),
  check = M.problems,
  curate = curate,
  find = knowledge,
  here = here,
  init = init,
  propose = function(words, command)
    M.propose(words ~= '' and vim.split(words, ' ') or {}, command.range > 0 and { command.line1, command.line2 } or nil)
  end,
  review = function(words)
    M.review(unpack(vim.split(words, ' ', { trimempty = true })))
  end,
  dream = function(words, command)
    M.dream(words ~= '' and words or nil, command.bang)
  end,
  trust = M.trust,
}

--- Runs what :Brv names; without a name it is chosen from a list.
---@param words string[]
---@param command table of the user command
function M.command(words, command)
  local run = subcommands[words[1] or '']
  if run then
    return run(table.concat(vim.list_slice(words, 2), ' '), command)
  elseif words[1] then
    vim.notify('brv: there is no :Brv ' .. words[1], vim.log.levels.WARN)
    return
  end
  vim.ui.select(M.complete('', 'Brv '), { prompt = 'brv' }, function(name)
    if name then
      subcommands[name]('', command)
    end
  end)
end

--- Completes the names behind :Brv, and those behind review and dream.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local of = line:match('Brv!?%s+(%l+)%s')
  local names = of == nil and vim.tbl_keys(subcommands) or ({ review = { 'approve', 'reject' }, dream = { 'undo', 'cancel' } })[of] or {}
  table.sort(names)
  return vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, names)
end

return M
