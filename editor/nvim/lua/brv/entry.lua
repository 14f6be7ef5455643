-- What is done to entries: written down, mended, moved, taken back; and what they are joined to.
local c = require('brv.client')
local M = {}

-- What became of operations; changed files are read anew.
local function tell(report, before)
  local said = vim.tbl_map(function(result)
    return result.message
  end, report.applied)
  c.say((before or '') .. table.concat(said, '; '))
  vim.cmd('checktime')
end

-- Shows the draft of an entry where it will stand: saving writes it, with its folders.
local function open_draft(client, draft)
  local path = client.config.root_dir .. '/' .. draft.path
  vim.cmd('botright split ' .. vim.fn.fnameescape(path))
  local buf = vim.api.nvim_get_current_buf()
  if vim.bo.modified then
    return c.say('this draft is still open: write it, or close it with :bdelete!')
  end
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(draft.text, '\n', { plain = true, trimempty = true }))
  vim.api.nvim_create_autocmd('BufWritePre', { buffer = buf, once = true, callback = function()
    vim.fn.mkdir(vim.fn.fnamemodify(path, ':h'), 'p')
  end })
  c.say(':write keeps this entry, :bdelete! drops it')
end

local function choose_topic(draft, done)
  local choices = vim.list_extend(draft.topics or {}, { { reason = 'domain/topic' } })
  vim.ui.select(choices, {
    prompt = 'It belongs to:',
    format_item = function(choice)
      return (choice.topic or 'Another topic…') .. (choice.new and ' (new)' or '') .. ': ' .. choice.reason:gsub('`', '')
    end,
  }, function(choice)
    if choice and choice.topic then
      done(choice.topic)
    elseif choice then
      vim.ui.input({ prompt = 'Topic, as domain/topic: ' }, function(topic)
        if topic and topic ~= '' then
          done(topic)
        end
      end)
    end
  end)
end

--- Writes a sentence down as an entry that refers to code: to some lines, or to what is at the cursor.
---@param statement string|nil what the next person should know; none: it is asked for
---@param lines number[]|nil first and last line of this buffer
function M.curate(statement, lines)
  if not statement or statement == '' then
    return vim.ui.input({ prompt = 'What should the next person know? ' }, function(text)
      if text and text ~= '' then
        M.curate(text, lines)
      end
    end)
  end
  c.with(function(client, attached)
    local params = { statement = statement, uri = vim.uri_from_fname(client.config.root_dir) }
    local first, stop = unpack(lines or { vim.fn.line('.'), vim.fn.line('.') })
    if attached and table.concat(vim.fn.getline(first, stop)):find('%S') then
      params.uri = vim.uri_from_bufnr(0)
      params.range = { start = { line = first - 1, character = 0 }, ['end'] = { line = stop, character = 0 } }
    end
    c.request(client, 'brv/curate/plan', params, function(draft)
      choose_topic(draft, function(topic)
        if topic == draft.topics[1].topic then
          return open_draft(client, draft)
        end
        params.topic = topic
        c.request(client, 'brv/curate/plan', params, function(other)
          if other.operation then -- in another tree: at once in one's own, as a proposal in others
            return c.execute(client, 'brv.curate', { operations = { other.operation } }, tell)
          end
          open_draft(client, other)
        end)
      end)
    end)
  end)
end

-- Opens what changed in the code that an entry names, with its text.
local function show_changes(_, entry)
  vim.cmd('botright vsplit ' .. vim.fn.fnameescape('brv://diff/' .. entry))
  c.say(':Brv mend confirm says that this entry is still true, :Brv mend open opens it')
end

local function open_beside(client, entry)
  vim.cmd('botright vsplit ' .. vim.fn.fnameescape(client.config.root_dir .. '/' .. c.tree .. entry))
end

local function confirm(client, entry)
  local operation = { type = 'CONFIRM', path = entry, reason = 'still true, checked against what changed' }
  c.execute(client, 'brv.curate', { operations = { operation }, hold = 'none' }, tell)
end

local ways = {
  changes = { 'Show what changed', show_changes },
  confirm = { 'Still true: confirm it', confirm },
  open = { 'Open it beside the code', open_beside },
}
M.ways = vim.tbl_keys(ways)

-- What the server calls when one of its lenses or actions is chosen.
function M.from_server(way)
  return function(command, ctx)
    local client = vim.lsp.get_client_by_id(ctx.client_id)
    local path = vim.uri_to_fname(command.arguments[1].uri)
    ways[way][2](client, path:sub(#client.config.root_dir + #c.tree + 2))
  end
end

local function mend_entry(client, item, way)
  if ways[way] then
    return ways[way][2](client, item.entry)
  end
  local offered = vim.tbl_filter(function(name)
    return name ~= 'confirm' or item.changed
  end, { 'changes', 'confirm', 'open' })
  vim.ui.select(offered, {
    prompt = item.title .. ' (' .. item.stale:gsub('`', '') .. '):',
    format_item = function(name)
      return ways[name][1]
    end,
  }, function(name)
    if name then
      ways[name][2](client, item.entry)
    end
  end)
end

--- Mends the stale entry of this buffer, or one about the symbol at the cursor or this file.
---@param way string|nil 'changes', 'confirm' or 'open'; none: it is chosen
function M.mend(way)
  c.with(function(client, attached)
    local entry = c.entry(client) or vim.api.nvim_buf_get_name(0):match('^brv://diff/(.+)$')
    if entry then
      return mend_entry(client, { entry = entry, title = entry, stale = 'as the code is now', changed = true }, way)
    elseif not attached then
      return c.say('the server does not know this buffer as a file')
    end
    local place = vim.lsp.util.make_position_params(0, client.offset_encoding)
    c.request(client, 'brv/here', { uri = place.textDocument.uri, position = place.position }, function(known)
      local stale = vim.tbl_filter(function(item)
        item.entry = item.filePath:sub(#c.tree + 1)
        return item.stale
      end, known.items)
      if #stale == 0 then
        return c.say('nothing about this file is stale; :Brv check lists stale entries')
      end
      -- Those about the symbol come first, and are the ones that are meant.
      local meant = vim.tbl_filter(function(item)
        return item.about == stale[1].about
      end, stale)
      if #meant == 1 then
        return mend_entry(client, meant[1], way)
      end
      vim.ui.select(meant, {
        prompt = 'Stale here:',
        format_item = function(item)
          return item.title .. ': ' .. item.stale:gsub('`', '')
        end,
      }, function(item)
        if item then
          mend_entry(client, item, way)
        end
      end)
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
  for _, client in ipairs(c.all()) do
    local edit = c.call(client, 'workspace/willRenameFiles', { files = files })
    if edit and edit ~= vim.NIL then
      vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
      changed = true
    end
  end
  return changed
end

local function modified()
  local bufs = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    bufs[buf] = vim.bo[buf].modified or nil
  end
  return bufs
end

-- Moves an entry, and writes what follows; what the user changed before stays theirs to write.
local function move(client, from, to)
  local folder = client.config.root_dir .. '/' .. c.tree
  local old, new = folder .. from, folder .. to
  if vim.loop.fs_stat(new) then
    return c.warn(to .. ' already exists; choose another name')
  end
  local before = modified()
  M.will_rename(old, new)
  vim.fn.mkdir(vim.fn.fnamemodify(new, ':h'), 'p')
  vim.lsp.util.rename(old, new)
  local files = 0
  for buf in pairs(modified()) do
    if not before[buf] then
      vim.api.nvim_buf_call(buf, function()
        vim.cmd('silent write')
      end)
      files = files + 1
    end
  end
  c.notify(client, 'workspace/didRenameFiles', { files = { { oldUri = vim.uri_from_fname(old), newUri = vim.uri_from_fname(new) } } })
  c.say(string.format('%s is %s now; %d other files follow', from, to, files))
end

--- Gives the entry in this buffer another name or place; links to it are updated.
---@param to string|nil domain/topic/name; none: it is asked for
function M.move(to)
  c.with(function(client)
    local from = c.entry(client)
    if not from then
      return c.warn(':Brv move is for the entry in this buffer; :Brv find opens one')
    end
    local function go(path)
      path = path and vim.trim(path):gsub('%.md$', '') .. '.md' or from
      local folders = select(2, path:gsub('/', ''))
      if path == from then
        return
      elseif folders < 1 or folders > 3 or ('/' .. path):find('/[/.]') then
        return c.warn(path .. ' is not a path of an entry; give domain/topic/name')
      end
      move(client, from, path)
    end
    if to then
      return go(to)
    end
    vim.ui.input({ prompt = 'Rename or move to: ', default = from }, go)
  end)
end

-- One change of the tree, in a line, by its entries: what is made with them is named where there are none.
local function changed(change)
  local files, about = change.files or {}, change.about or {}
  local all = #files > 0 and files or about
  local entries = vim.tbl_filter(function(path)
    local name = path:match('[^/]*$')
    return name ~= 'context.md' and not name:match('^[_.]')
  end, all)
  local named = #entries > 0 and entries or all
  local what = named[1] and ' ' .. named[1] .. (#named > 1 and ' and ' .. #named - 1 .. ' more' or '') or ''
  local action = change.action == 'apply' and #files == 0 and 'propose' or change.action
  local parts = { action .. what, change.author, change.time:sub(1, 16):gsub('T', ' ') .. ' UTC' }
  return change.id .. ': ' .. table.concat(vim.tbl_values(parts), ', ')
end

--- Takes a change of the tree back: the newest first in a list to choose from.
---@param now boolean|nil the newest, without asking
function M.undo(now)
  c.with(function(client)
    c.execute(client, 'brv.log', { limit = 50 }, function(log)
      local changes = vim.tbl_filter(function(change)
        return change.undoable
      end, log.changes)
      local function undo(change)
        if change then
          c.execute(client, 'brv.undo', { batch = change.id }, function(report)
            tell(report, 'undone: ' .. changed(change) .. (#report.applied > 0 and ': ' or ''))
          end)
        end
      end
      if #changes == 0 then
        return c.say('there is nothing to undo here: undo edits by hand with u')
      elseif now then
        return undo(changes[1])
      end
      vim.ui.select(changes, { prompt = 'Undo:', format_item = changed }, undo)
    end)
  end)
end

-- The path of this buffer's file in the client's folder.
local function file_here(client)
  local name, root = vim.api.nvim_buf_get_name(0), client.config.root_dir .. '/'
  return vim.startswith(name, root) and name:sub(#root + 1) or nil
end

--- Lists what this file is joined to, entries, documents and code, in the quickfix list.
function M.links()
  c.with(function(client)
    local here = file_here(client)
    if not here then
      return c.say('the server does not know this buffer as a file')
    end
    c.request(client, 'brv/graph', { around = here, uri = vim.uri_from_fname(client.config.root_dir) }, function(graph)
      local items = {}
      for _, link in ipairs(graph.links) do
        local from, to = graph.nodes[link.from + 1], graph.nodes[link.to + 1]
        local other = from.path == here and to or to.path == here and from
        if other then
          local lnum = other == from and link.line or 1
          local text = (other == to and '→ ' or '← ') .. other.kind .. ': ' .. other.title .. (other.stale and ' (stale: ' .. other.stale .. ')' or '')
          table.insert(items, { filename = client.config.root_dir .. '/' .. other.path, lnum = lnum, text = text })
        end
      end
      vim.fn.setqflist({}, ' ', { title = 'brv links of ' .. here, items = items })
      if #items == 0 then
        return c.say('nothing links to ' .. here)
      end
      vim.cmd('botright copen')
    end)
  end)
end

--- Draws what is joined to this file, or all that is known, and opens the picture outside.
---@param all boolean|nil
function M.graph(all)
  c.with(function(client)
    local params = { svg = true, around = not all and file_here(client) or nil, uri = vim.uri_from_fname(client.config.root_dir) }
    c.request(client, 'brv/graph', params, function(graph)
      local file = vim.fn.tempname() .. '.svg'
      vim.fn.writefile(vim.split(graph.svg, '\n'), file)
      c.say('the picture is ' .. file)
      if vim.ui.open then
        vim.ui.open(file)
      end
    end)
  end)
end

return M
