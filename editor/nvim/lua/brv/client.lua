-- How the plugin talks with the server and with the user; for the plugin itself.
local M = { name = 'brv' }

local answer_within = 5000 -- milliseconds: the editor waits for what it opens or moves

function M.say(text)
  vim.notify('brv: ' .. text)
end

function M.warn(text)
  vim.notify('brv: ' .. text, vim.log.levels.WARN)
end

--- A text of the server's with :Brv in place of the program where it names a command that both have.
---@param text string
function M.own(text)
  local names = require('brv').complete('', 'Brv ')
  return (text:gsub('`check %-%-documents`', '`:Brv! check`'):gsub('`brv%-lsp (%l+)', function(name)
    return vim.tbl_contains(names, name) and '`:Brv ' .. name or nil
  end))
end

local function fail(text)
  text = text:gsub('no context tree in this folder$', '%0; `:Brv init` makes one')
  vim.notify('brv: ' .. M.own(text), vim.log.levels.ERROR)
end

-- Calls a function of a client, which takes the client itself from Neovim 0.11 on.
local function of(client, name, ...)
  if vim.fn.has('nvim-0.11') == 1 then
    return client[name](client, ...)
  end
  return client[name](...)
end

-- Asks a client; the result is the request's number, by which it is cancelled.
function M.send(client, method, params, answered)
  local _, id = of(client, 'request', method, params, answered)
  return id
end

-- Asks a client, and tells the user where that fails.
function M.request(client, method, params, done, failed)
  return M.send(client, method, params, function(err, result)
    if err then
      fail(err.message)
      if failed then
        failed()
      end
    elseif result then
      done(result)
    end
  end)
end

-- Runs a command about the client's folder.
function M.execute(client, command, argument, done)
  argument.uri = argument.uri or vim.uri_from_fname(client.config.root_dir)
  return M.request(client, 'workspace/executeCommand', { command = command, arguments = { argument } }, done)
end

function M.cancel(client, id)
  of(client, 'cancel_request', id)
end

function M.notify(client, method, params)
  of(client, 'notify', method, params)
end

-- The answer of a client, waited for; nil, with a message, if there is none.
function M.call(client, method, params)
  local response, problem = of(client, 'request_sync', method, params, answer_within, 0)
  if response and not response.err then
    return response.result
  end
  fail(response and response.err.message or problem or 'no answer')
end

function M.all()
  return vim.tbl_filter(function(client)
    return client.name == M.name
  end, (vim.lsp.get_clients or vim.lsp.get_active_clients)())
end

local last -- the client that was asked last

-- The client of this buffer, or the one that this view is from, else any: a question may be asked from anywhere.
local function here()
  local all = M.all()
  for _, client in ipairs(all) do
    if vim.lsp.buf_is_attached(0, client.id) then
      return client, true
    end
  end
  for _, id in ipairs({ vim.b.brv_client or 0, last or 0 }) do
    for _, client in ipairs(all) do
      if client.id == id then
        return client, false
      end
    end
  end
  return all[#all], false
end

function M.with(act)
  local client, attached = here()
  if client then
    last = client.id
    act(client, attached)
  else
    M.warn('no server is running; open a file of a folder that has .brv or .git')
  end
end

-- Fills a buffer that shows nothing on disk, and that is forgotten when it is closed.
function M.fill(buf, text)
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].swapfile = false
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text, '\n', { plain = true }))
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = 'markdown'
  vim.b[buf].brv_client = last
end

local shown = 0

-- Opens text in a window of its own, which forgets it when it is closed.
function M.show(name, text)
  shown = shown + 1
  vim.cmd('botright new')
  local buf = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_name(buf, string.format('brv://%d/%s', shown, name))
  M.fill(buf, text)
  M.keys(buf, M.close)
  return buf
end

M.close = { q = { 'Close this', function()
  vim.cmd('close')
end } }

-- Keys of a view, each with what it does.
function M.keys(buf, keys)
  for key, does in pairs(keys) do
    vim.keymap.set('n', key, does[2], { buffer = buf, nowait = true, desc = does[1] })
  end
end

-- Opens a file of the client's folder in the window that was left.
function M.open(client, path, line)
  vim.cmd('wincmd p')
  vim.cmd('edit ' .. vim.fn.fnameescape(client.config.root_dir .. '/' .. path))
  pcall(vim.api.nvim_win_set_cursor, 0, { line or 1, 0 })
end

M.tree = '.brv/context-tree/'

-- The entry in this buffer, by its path in the tree.
function M.entry(client)
  local name, folder = vim.api.nvim_buf_get_name(0), client.config.root_dir .. '/' .. M.tree
  return vim.startswith(name, folder) and name:sub(#folder + 1) or nil
end

return M
